'use strict'

const { once } = require('node:events')
const { Vec3 } = require('vec3')
const { walk } = require('./walking')
const { demand } = require('./refused')
const { passable } = require('./terrain')

const SIDES = [[0, -1, 0], [1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0, 1, 0]]
const vector = ({ x, y, z }) => new Vec3(x, y, z)

/** Refuses who holds less of a thing than that. */
function demandItems (agent, thing, count) {
  const held = agent.inventory.held[thing] ?? 0
  demand(held >= count, held ? `holds only ${held} ${thing}` : `holds no ${thing}`)
}

/** Refuses who has no room for so much of a thing; another one by its name. */
function demandRoom (agent, thing, count, name) {
  demand(agent.inventory.room(thing) >= count, `${name ? `${name} ` : ''}can hold no more ${thing}`)
}

async function collect (agent, { block, at }, signal) {
  const { rules, terrain } = agent.world
  agent.reaches(at)
  const kind = rules.kind(terrain.at(at.x, at.y, at.z))
  demand(kind === block, `there is ${kind ?? 'nothing'}, not ${block}`)
  const { item, tool } = rules.collecting(kind, agent.inventory.held)
  if (item === null) return drink(agent)
  demandRoom(agent, item, 1)
  agent.world.chests.emptied(at.x, at.y, at.z)
  if (tool) await agent.hold(bestPickaxe(agent))
  await agent.answer(async () => {
    signal.addEventListener('abort', () => agent.bot.stopDigging(), { once: true })
    agent.digging = at
    await agent.bot.dig(agent.bot.blockAt(vector(at)), true)
  }, signal)
  await agent.settled()
}

/** The best pickaxe that is held. */
function bestPickaxe (agent) {
  return agent.world.rules.table.pickaxes.findLast(each => agent.inventory.held[each] > 0)
}

function drink ({ player, world }) {
  const { max_points: most, drink_healing: healing } = world.rules.table
  player.updateHealth(Math.min(most, player.health + healing))
}

async function place (agent, { block, at }) {
  const { world } = agent
  const { rules, terrain } = world
  agent.reaches(at)
  const { serverBlock, onto } = rules.placing(block)
  demandItems(agent, block, 1)
  const there = terrain.at(at.x, at.y, at.z)
  demand(there === 'air' || onto.includes(rules.kind(there)), `there is ${rules.kind(there) ?? there} already`)
  demand(serverBlock !== 'oak_sapling' || terrain.at(at.x, at.y - 1, at.z) === 'grass_block', 'a sapling grows on grass only')
  demand(![...world.agents.values()].some(each => occupies(each, at)), 'the cell is occupied')
  const side = SIDES.find(([x, y, z]) => supports(terrain, at.x + x, at.y + y, at.z + z))
  demand(side, 'there is no block to place it against')
  await world.reserve(at, () => placeAgainst(agent, block, at, new Vec3(...side)))
  if (serverBlock === 'oak_sapling') world.plants.planted(at)
}

function occupies (agent, { x, y, z }) {
  const feet = agent.place
  return feet.x === x && feet.z === z && (feet.y === y || feet.y + 1 === y)
}

function supports (terrain, x, y, z) {
  const block = terrain.at(x, y, z)
  return !passable(block) && block !== 'water' && block !== 'chest'
}

async function placeAgainst (agent, block, at, side) {
  await agent.hold(block)
  await agent.bot.placeBlock(agent.bot.blockAt(vector(at).plus(side)), side.scaled(-1))
  await agent.settled()
}

async function craft (agent, { item }) {
  const { rules, terrain, radii } = agent.world
  const near = new Set(terrain.near(agent.place, radii.reach, block => rules.kind(block)).map(each => each.block))
  const recipe = rules.crafting(item, agent.inventory.held, near)
  demandRoom(agent, item, recipe.count)
  for (const [thing, count] of Object.entries(recipe.ingredients)) agent.inventory.take(thing, count)
  agent.inventory.put(item, recipe.count)
  await agent.settled()
}

async function eat (agent, { item }) {
  const { food_points: points, max_points: most } = agent.world.rules.table
  demand(points[item], `cannot eat ${item}`)
  demandItems(agent, item, 1)
  agent.inventory.take(item, 1)
  agent.player.updateFood(Math.min(most, agent.player.food + points[item]))
  await agent.settled()
}

async function attack (agent, { target }, signal) {
  const entity = agent.world.creature(target)
  demand(!agent.world.agents.has(target), `${agent.world.agents.get(target)?.name} is not a creature`)
  demand(entity?.type === 'mob', `there is no creature ${target}`)
  agent.reaches(entity.position.floored())
  const seen = agent.bot.entities[entity.id]
  demand(seen, `${target} is not in sight`)
  await agent.answer(async () => agent.bot.attack(seen), signal)
}

/** Another agent within reach. */
function partner (agent, id) {
  const other = agent.world.agents.get(id)
  demand(other !== agent, 'the target is the agent itself')
  demand(other, 'there is no such agent in this world')
  demand(other.player, `${other.name} is not in this world now`)
  agent.reaches(other.place)
  return other
}

async function give (agent, { to, stack }) {
  const other = partner(agent, to)
  demandItems(agent, stack.item, stack.count)
  demandRoom(other, stack.item, stack.count, other.name)
  transfer(agent, other, stack)
  await Promise.all([agent.settled(), other.settled()])
}

function transfer (from, to, { item, count }) {
  from.inventory.take(item, count)
  to.inventory.put(item, count)
}

async function trade (agent, offered, signal) {
  const other = partner(agent, offered.partner)
  agent.world.rules.item(offered.want.item)
  demandItems(agent, offered.offer.item, offered.offer.count)
  demandRoom(agent, offered.want.item, offered.want.count)
  const taken = agent.world.trades.reverse(agent, offered)
  if (!taken) return agent.world.trades.offer(agent, offered, other.name, signal)
  demandItems(other, offered.want.item, offered.want.count)
  demandRoom(other, offered.offer.item, offered.offer.count, other.name)
  transfer(agent, other, offered.offer)
  transfer(other, agent, offered.want)
  await Promise.all([agent.settled(), other.settled()])
  taken.resolve()
}

function chest (agent, at) {
  const { rules, terrain, chests } = agent.world
  agent.reaches(at)
  const there = rules.kind(terrain.at(at.x, at.y, at.z))
  demand(there === 'chest', `there is ${there ?? 'nothing'}, not a chest`)
  return chests.at(at)
}

async function deposit (agent, { at, stack }) {
  const inside = chest(agent, at)
  demandItems(agent, stack.item, stack.count)
  inside.put(stack)
  agent.inventory.take(stack.item, stack.count)
  await agent.settled()
}

async function withdraw (agent, { at, stack }) {
  const inside = chest(agent, at)
  demandRoom(agent, stack.item, stack.count)
  inside.take(stack)
  agent.inventory.put(stack.item, stack.count)
  await agent.settled()
}

async function rest (agent, { seconds }, signal) {
  const woken = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
  if (!woken.aborted) await once(woken, 'abort')
  signal.throwIfAborted()
}

const go = (agent, { to }, signal) => walk(agent, to, signal)
const say = (agent, { text }) => agent.bot._client.write('chat', { message: text })

/** What each action of the contract does: `(agent, act, signal)`; each ends, or throws `Refused`. */
const ACTS = { go, collect, place, craft, eat, attack, give, trade, deposit, withdraw, say, rest }

module.exports = { ACTS }
