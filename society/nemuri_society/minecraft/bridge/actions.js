'use strict'

const { once } = require('node:events')
const { Vec3 } = require('vec3')
const { walk } = require('./walking')
const { demand } = require('./refusal')
const { passable } = require('./terrain')

const SIDES = [[0, -1, 0], [1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0, 1, 0]]
const vector = ({ x, y, z }) => new Vec3(x, y, z)

/** Throw `Refused` unless the agent holds so many of an item. */
function demandItems (agent, thing, count) {
  const held = agent.inventory.held[thing] ?? 0
  demand(held >= count, held ? `holds only ${held} ${thing}` : `holds no ${thing}`)
}

/** Throw `Refused` unless the agent has room for so many of an item. The message names the agent if `name` is given. */
function demandRoom (agent, thing, count, name) {
  demand(agent.inventory.room(thing) >= count, `${name ? `${name} ` : ''}can hold no more ${thing}`)
}

async function collect (agent, { block, at }, signal) {
  const { rules, terrain } = agent.world
  agent.demandReach(at)
  const kind = rules.kindOf(terrain.at(at.x, at.y, at.z))
  demand(kind === block, `there is ${kind ?? 'nothing'}, not ${block}`)
  const { item, tool } = rules.collectingRule(kind, agent.inventory.held)
  demandRoom(agent, item, 1)
  agent.world.chests.removeEmpty(at.x, at.y, at.z)
  if (tool) await agent.holdItem(bestPickaxe(agent))
  await agent.awaitServer(async () => {
    signal.addEventListener('abort', () => agent.bot.stopDigging(), { once: true })
    agent.digging = at
    await agent.bot.dig(agent.bot.blockAt(vector(at)), true)
  }, signal)
  await agent.inventorySynced()
}

/** Return the best pickaxe that the agent holds. */
function bestPickaxe (agent) {
  return agent.world.rules.table.pickaxes.findLast(each => agent.inventory.held[each] > 0)
}

async function place (agent, { block, at }) {
  const { world } = agent
  const { rules, terrain } = world
  agent.demandReach(at)
  const { serverBlock, onto } = rules.placingRule(block)
  demandItems(agent, block, 1)
  const there = terrain.at(at.x, at.y, at.z)
  demand(there === 'air' || onto.includes(rules.kindOf(there)), `there is ${rules.kindOf(there) ?? there} already`)
  const onGrass = terrain.at(at.x, at.y - 1, at.z) === 'grass_block'
  demand(serverBlock !== 'oak_sapling' || onGrass, 'a sapling grows on grass only')
  demand(![...world.agents.values()].some(each => occupies(each, at)), 'the cell is occupied')
  const side = SIDES.find(([x, y, z]) => supports(terrain, at.x + x, at.y + y, at.z + z))
  demand(side, 'there is no block to place it against')
  await world.reserve(at, () => placeAgainst(agent, block, at, new Vec3(...side)))
}

function occupies (agent, { x, y, z }) {
  const feet = agent.position
  return feet.x === x && feet.z === z && (feet.y === y || feet.y + 1 === y)
}

function supports (terrain, x, y, z) {
  const block = terrain.at(x, y, z)
  return !passable(block) && block !== 'water' && block !== 'chest'
}

async function placeAgainst (agent, block, at, side) {
  await agent.holdItem(block)
  await agent.bot.placeBlock(agent.bot.blockAt(vector(at).plus(side)), side.scaled(-1))
  await agent.inventorySynced()
}

async function craft (agent, { item }) {
  const { rules, terrain, radii } = agent.world
  const blocks = terrain.nearestBlocks(agent.position, radii.reach, block => rules.kindOf(block))
  const near = new Set(blocks.map(each => each.block))
  const recipe = rules.recipeFor(item, agent.inventory.held, near)
  demandRoom(agent, item, recipe.count)
  for (const [thing, count] of Object.entries(recipe.ingredients)) agent.inventory.take(thing, count)
  agent.inventory.put(item, recipe.count)
  await agent.inventorySynced()
}

/** Return another agent within reach. Throw `Refused` if it is absent or out of reach. */
function partner (agent, id) {
  const other = agent.world.agents.get(id)
  demand(other !== agent, 'the target is the agent itself')
  demand(other, 'there is no such agent in this world')
  demand(other.player, `${other.name} is not in this world now`)
  agent.demandReach(other.position)
  return other
}

async function give (agent, { to, stack }) {
  const other = partner(agent, to)
  demandItems(agent, stack.item, stack.count)
  demandRoom(other, stack.item, stack.count, other.name)
  transfer(agent, other, stack)
  agent.reportDeed('gave', other, stack)
  await Promise.all([agent.inventorySynced(), other.inventorySynced()])
}

function transfer (from, to, { item, count }) {
  from.inventory.take(item, count)
  to.inventory.put(item, count)
}

async function trade (agent, offered, signal) {
  const other = partner(agent, offered.partner)
  agent.world.rules.serverItem(offered.want.item)
  demandItems(agent, offered.offer.item, offered.offer.count)
  demandRoom(agent, offered.want.item, offered.want.count)
  const taken = agent.world.trades.findMatching(agent, offered)
  if (!taken) {
    agent.reportDeed('offered', other, offered.offer, offered.want)
    return agent.world.trades.offer(agent, offered, other.name, signal)
  }
  demandItems(other, offered.want.item, offered.want.count)
  demandRoom(other, offered.offer.item, offered.offer.count, other.name)
  transfer(agent, other, offered.offer)
  transfer(other, agent, offered.want)
  agent.reportDeed('traded', other, offered.offer, offered.want)
  other.reportDeed('traded', agent, offered.want, offered.offer)
  await Promise.all([agent.inventorySynced(), other.inventorySynced()])
  taken.resolve()
}

function chest (agent, at) {
  const { rules, terrain, chests } = agent.world
  agent.demandReach(at)
  const there = rules.kindOf(terrain.at(at.x, at.y, at.z))
  demand(there === 'chest', `there is ${there ?? 'nothing'}, not a chest`)
  return chests.at(at)
}

async function deposit (agent, { at, stack }) {
  const inside = chest(agent, at)
  demandItems(agent, stack.item, stack.count)
  inside.put(stack)
  agent.inventory.take(stack.item, stack.count)
  await agent.inventorySynced()
}

async function withdraw (agent, { at, stack }) {
  const inside = chest(agent, at)
  demandRoom(agent, stack.item, stack.count)
  inside.take(stack)
  agent.inventory.put(stack.item, stack.count)
  await agent.inventorySynced()
}

async function rest (agent, { seconds }, signal) {
  const woken = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
  if (!woken.aborted) await once(woken, 'abort')
  signal.throwIfAborted()
}

const go = (agent, { to }, signal) => walk(agent, to, signal)
const say = (agent, { text }) => agent.bot._client.write('chat', { message: text })

/** The function of each action of the contract: `(agent, act, signal)`. It resolves when done, or throws `Refused`. */
const ACTS = { go, collect, place, craft, give, trade, deposit, withdraw, say, rest }

module.exports = { ACTS }
