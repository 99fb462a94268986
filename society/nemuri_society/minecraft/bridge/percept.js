'use strict'

const { takeEvents } = require('./percept_messages')

const MAX_BLOCKS = 64
/** Blocks in a percept, at most. */

/** Return the percept of an agent, or null if nothing changed since the last one. Each event is reported once. */
function buildPercept (agent, second) {
  const state = currentState(agent)
  const encoded = JSON.stringify(state)
  const events = takeEvents({ heard: agent.heard, deeds: agent.deeds, outcomes: agent.outcomes })
  const hurt = Math.min(20, agent.hurt)
  const eventful = hurt || Object.values(events).some(each => each.length)
  if (encoded === agent.lastPercept && !eventful) return null
  agent.lastPercept = encoded
  agent.hurt -= hurt
  return { second, ...state, hour: hourOfDay(agent.bot), ...events, hurt }
}

function currentState (agent) {
  const { bot, world } = agent
  return {
    position: agent.position,
    health: points(bot.health),
    hunger: points(bot.food),
    inventory: agent.botInventory,
    agents: sightings(agent),
    blocks: visibleBlocks(agent),
    daylight: bot.time.isDay ?? true,
    biome: world.biome
  }
}

/** Return the hour of the day. A day has 24,000 ticks, and the first one is at 6 o'clock. */
function hourOfDay (bot) {
  return Math.floor((((bot.time.timeOfDay ?? 0) / 1000 + 6) % 24) * 100) / 100
}

function points (value) {
  return Math.max(0, Math.min(20, Math.round(value)))
}

function sightings ({ bot, position: own, world }) {
  const found = []
  for (const entity of Object.values(bot.entities)) {
    const who = entity === bot.entity ? undefined : world.describeEntity(entity)
    if (!who) continue
    const position = entity.position.offset(0, 0.01, 0).floored()
    const distance = Math.hypot(position.x - own.x, position.y - own.y, position.z - own.z)
    if (distance > world.radii.sight) continue
    const { x, y, z } = position
    found.push({ ...who, position: { x, y, z }, distance: Math.round(distance * 10) / 10 })
  }
  return found.sort((one, other) => one.distance - other.distance).slice(0, world.rules.table.max_sightings)
}

/** Return the visible blocks: the nearest of each kind first, then the second nearest. */
function visibleBlocks ({ position: at, world }) {
  const { rules, terrain, radii } = world
  const wanted = block => {
    const kind = rules.kindOf(block)
    return rules.visible.has(kind) ? kind : undefined
  }
  const turns = new Map()
  return terrain.nearestBlocks(at, radii.sight, wanted)
    .map(each => {
      const turn = turns.get(each.block) ?? 0
      turns.set(each.block, turn + 1)
      return { ...each, turn }
    })
    .filter(each => each.turn < rules.table.max_blocks_per_kind)
    .sort((one, other) => one.turn - other.turn || one.distance - other.distance)
    .slice(0, MAX_BLOCKS)
    .map(({ block, position }) => ({ block, position }))
}

module.exports = { buildPercept }
