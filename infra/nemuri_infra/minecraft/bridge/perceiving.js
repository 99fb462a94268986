'use strict'

const { portion } = require('./chunking')

const MOST = 64
/** Blocks that a percept tells of. */

/**
 * What an agent perceives now; null where nothing changed since it was last told. Tells what happened once, once.
 */
function perceive (agent, second) {
  const standing = stands(agent)
  const told = JSON.stringify(standing)
  const once = portion({ heard: agent.heard, outcomes: agent.outcomes })
  const hurt = Math.min(20, agent.hurt)
  if (told === agent.told && !once.heard.length && !once.outcomes.length && !hurt) return null
  agent.told = told
  agent.hurt -= hurt
  return { second, ...standing, ...once, hurt }
}

function stands (agent) {
  const { bot, world } = agent
  return {
    position: agent.place,
    health: points(bot.health),
    hunger: points(bot.food),
    inventory: agent.holds,
    agents: sightings(agent),
    blocks: blocks(agent),
    daylight: bot.time.isDay ?? true,
    biome: world.biome
  }
}

function points (value) {
  return Math.max(0, Math.min(20, Math.round(value)))
}

function sightings ({ bot, place, world }) {
  const found = []
  for (const entity of Object.values(bot.entities)) {
    const who = entity === bot.entity ? undefined : world.known(entity)
    if (!who) continue
    const position = entity.position.offset(0, 0.01, 0).floored()
    const distance = Math.hypot(position.x - place.x, position.y - place.y, position.z - place.z)
    if (distance > world.radii.sight) continue
    const { x, y, z } = position
    found.push({ ...who, position: { x, y, z }, distance: Math.round(distance * 10) / 10 })
  }
  return found.sort((one, other) => one.distance - other.distance).slice(0, world.rules.table.crowd)
}

/** The nearest of each sort first, then the second nearest. */
function blocks ({ place, world }) {
  const { rules, terrain, radii } = world
  const wanted = block => {
    const kind = rules.kind(block)
    return rules.visible.has(kind) ? kind : undefined
  }
  const turns = new Map()
  return terrain.near(place, radii.sight, wanted)
    .map(each => {
      const turn = turns.get(each.block) ?? 0
      turns.set(each.block, turn + 1)
      return { ...each, turn }
    })
    .filter(each => each.turn < rules.table.max_blocks_per_kind)
    .sort((one, other) => one.turn - other.turn || one.distance - other.distance)
    .slice(0, MOST)
    .map(({ block, position }) => ({ block, position }))
}

module.exports = { blocks, perceive }
