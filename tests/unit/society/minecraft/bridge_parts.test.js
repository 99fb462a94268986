'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const bridge = '../../../../society/nemuri_society/minecraft/bridge'
const { randomNumbers } = require(`${bridge}/random`)
const { splitPercepts, takeEvents } = require(`${bridge}/percept_messages`)
const { buildPercept } = require(`${bridge}/percept`)
const { username } = require(`${bridge}/username`)
const { ServerAllocation } = require(`${bridge}/server_allocation`)
const { Terrain } = require(`${bridge}/terrain`)

test('each percept is in exactly one message within the size limit', () => {
  const chance = randomNumbers(1)
  for (let round = 0; round < 30; round++) {
    const percept = () => ({ text: '木'.repeat(chance() * 300) })
    const percepts = Object.fromEntries(Array.from({ length: 40 }, (_, each) => [`a${each}`, percept()]))
    const limit = 2000
    const told = [...splitPercepts(1.5, percepts, { limit, most: 7 })]
    assert.deepEqual(Object.assign({}, ...told.map(each => each.percepts)), percepts)
    assert.equal(told.reduce((sum, each) => sum + Object.keys(each.percepts).length, 0), 40)
    for (const each of told) {
      assert.ok(Buffer.byteLength(JSON.stringify(each)) <= limit)
      assert.ok(Object.keys(each.percepts).length <= 7)
    }
  }
})

test('no percepts give no message', () => {
  assert.deepEqual([...splitPercepts(1, {})], [])
})

test('events are taken in order, up to the limit', () => {
  const heard = [1, 2, 3, 4, 5]
  assert.deepEqual(takeEvents({ heard, outcomes: [] }, 3), { heard: [1, 2, 3], outcomes: [] })
  assert.deepEqual(heard, [4, 5])
})

test('every id has a valid and unique player name', () => {
  const ids = ['anna', 'a-b', 'a_b', 'x'.repeat(64), 'ab', '1', 'x'.repeat(63), 'A'.repeat(15), 'A'.repeat(16)]
  const names = ids.map(username)
  assert.ok(names.every(each => /^[A-Za-z0-9_]{3,16}$/.test(each)), names.join())
  assert.equal(new Set(names).size, ids.length)
  assert.deepEqual(names, ids.map(username))
})

test('agents of a town share a server while there is room', () => {
  const allocation = new ServerAllocation(2, 3)
  assert.equal(allocation.allocate('a'), 0)
  assert.equal(allocation.allocate('b', 'town'), 0)
  assert.equal(allocation.allocate('c', 'town'), 0)
  assert.equal(allocation.allocate('d', 'town'), 1)
  assert.equal(allocation.allocate('a'), 0)
  assert.deepEqual(['e', 'f', 'g', 'a'].map(each => allocation.allocate(each)), [1, 1, undefined, 0])
  allocation.removeAgent('a')
  assert.equal(allocation.allocate('g'), 0)
})

test('a returning agent gets its previous server, also after a restart', () => {
  const allocation = new ServerAllocation(2, 2)
  for (const each of ['a', 'b', 'c']) allocation.allocate(each)
  allocation.removeAgent('a')
  const again = new ServerAllocation(2, 2, JSON.parse(JSON.stringify(allocation.save())))
  assert.equal(again.allocate('c'), 1)
  assert.equal(again.allocate('a'), 0)
  assert.deepEqual(again.counts, [1, 1])
})

test('equal seeds give equal terrain, which contains all required blocks', () => {
  const found = seed => {
    const terrain = new Terrain(seed)
    return terrain.nearestBlocks({ x: 0, y: 4, z: 0 }, 96, block => block).map(each => [each.block, each.position])
  }
  assert.deepEqual(found(3), found(3))
  assert.notDeepEqual(found(3), found(4))
  const sorts = new Set(found(3).map(([block]) => block))
  const wanted = ['oak_log', 'stone', 'coal_ore', 'iron_ore', 'diamond_ore', 'water', 'grass']
  assert.deepEqual(wanted.filter(each => !sorts.has(each)), [])
})

test('a changed block is found by position and radius, also after a restart', () => {
  const terrain = new Terrain(3)
  const { x, y, z } = terrain.nearestBlocks({ x: 0, y: 4, z: 0 }, 48, block => block === 'oak_log' ? 'tree' : '')[0].position
  terrain.put(x, y, z, 'air')
  terrain.put(-1, 4, -17, 'chest')
  const again = new Terrain(3, JSON.parse(JSON.stringify(terrain.save())))
  for (const each of [terrain, again]) {
    assert.equal(each.at(x, y, z), 'air')
    assert.equal(each.at(-1, 4, -17), 'chest')
    const chests = each.nearestBlocks({ x: 0, y: 4, z: -16 }, 3, block => block === 'chest' ? 'chest' : '')
    assert.deepEqual(chests.map(chest => chest.position), [{ x: -1, y: 4, z: -17 }])
  }
  assert.equal(terrain.at(1000, 0, 1000), 'bedrock')
})

test('every spawn position can be stood on', () => {
  const terrain = new Terrain(5)
  for (let each = 0; each < 200; each++) {
    const { x, y, z } = terrain.findStandingPosition(each * 7, -each * 5, each)
    assert.ok(terrain.canStand(x, y, z))
  }
})

/** An agent that stands still at noon, with a gift that it does not know of yet. */
function idleAgent () {
  const gift = { deed: 'gave', by: 'b', name: 'Bea', stack: { item: 'wood', count: 2 }, want: null, second: 1 }
  return {
    bot: { entities: {}, health: 20, food: 20, time: { isDay: true, timeOfDay: 6000 } },
    world: {
      radii: { sight: 16 }, rules: { table: { max_sightings: 8, max_blocks_per_kind: 2 } },
      terrain: { nearestBlocks: () => [] }, biome: 'plains'
    },
    position: { x: 0, y: 64, z: 0 }, botInventory: {}, heard: [], deeds: [gift], outcomes: [], hurt: 0, lastPercept: ''
  }
}

test('a percept tells the hour, and each deed of another agent once', () => {
  const agent = idleAgent()
  const percept = buildPercept(agent, 1.5)
  assert.equal(percept.hour, 12)
  assert.deepEqual(percept.deeds.map(each => [each.name, each.deed]), [['Bea', 'gave']])
  assert.equal(buildPercept(agent, 2.5), null)
})
