'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const { after, before, test } = require('node:test')
const { World } = require('../../society/nemuri_society/minecraft/bridge/world')

const settings = JSON.parse(fs.readFileSync(process.env.RULES, 'utf8'))
const faults = []
let world

/** Wait until a condition holds, for 20 seconds at most. */
async function until (so) {
  const late = AbortSignal.timeout(20_000)
  while (!so()) {
    late.throwIfAborted()
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const act = (agent, id, what) => world.act('host', { agent_id: agent.id, act_id: id, act: what })
const farAway = { action: 'go', to: { x: 300, y: 4, z: 0 } }

/** Let agents join and wait until all have logged in. */
async function join (...ids) {
  world.join(Object.fromEntries(ids.map(each => [each, { name: each, host: 'host' }])))
  await Promise.all(ids.map(each => world.agents.get(each)?.entering))
}

before(async () => {
  world = new World({ seed: 1, ...settings, most: 50, kept: null, log: fields => faults.push(fields) })
  await world.start()
  await join('anna', 'ben')
})

after(() => setImmediate(process.exit, 0))

test('agents that join together see each other at the right positions', async () => {
  const ids = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay']
  await join(...ids)
  const all = ids.map(each => world.agents.get(each))
  const seen = (one, other) => one.bot.players[other.username]?.entity?.position
  const inSight = (one, other) => seen(one, other)?.distanceTo(other.bot.entity.position) < 1
  await until(() => all.every(one => all.every(other => one === other || inSight(one, other))))
  world.leave(ids)
})

test('an agent that joins while others walk and dig sees them', async () => {
  const anna = world.agents.get('anna')
  const crack = { entityId: anna.player.id, location: { x: 0, y: 3, z: 0 }, destroyStage: 1 }
  world.serv.once('newPlayer', () => {
    anna.player._writeOthersNearby('block_break_animation', crack)
    anna.player.updateAndSpawn()
  })
  await join('gus')
  const gus = world.agents.get('gus')
  const seen = matches => Object.values(gus.bot.entities).filter(matches)
  await until(() => seen(each => each.username === anna.username).length)
  await until(() => Object.values(anna.bot.entities).some(each => each.username === gus.username))
  world.leave(['gus'])
})

test('an agent with a disconnected bot returns to its position with its inventory', async () => {
  const anna = world.agents.get('anna')
  anna.inventory.put('wood', 63)
  anna.inventory.put('wood_pickaxe', 2)
  await anna.inventorySynced()
  anna.player.updateFood(11)
  act(anna, 'walk', farAway)
  await once(anna.bot, 'move')
  const [bot, { x, z }] = [anna.bot, anna.position]
  anna.player.kick('out')
  await until(() => anna.bot !== bot)
  await anna.entering
  assert.deepEqual(anna.botInventory, { wood: 63, wood_pickaxe: 2 })
  assert.equal(anna.bot.food, 11)
  assert.ok(Math.hypot(anna.position.x - x, anna.position.z - z) <= 2)
  assert.deepEqual(anna.outcomes, [{ act_id: 'walk', done: false, reason: 'lost its connection to the server' }])
  assert.equal(faults.shift().agent, 'anna')
})

test('a dead agent respawns with an outcome and keeps its inventory', async () => {
  const ben = world.agents.get('ben')
  ben.inventory.put('stone', 3)
  act(ben, 'walk', farAway)
  await once(ben.bot, 'move')
  ben.player.updateHealth(0)
  await until(() => ben.outcomes.length && ben.bot.health === 20)
  assert.equal(ben.hurt, 20)
  assert.deepEqual(ben.outcomes, [{ act_id: 'walk', done: false, reason: 'died' }])
  await ben.inventorySynced()
  assert.deepEqual(ben.botInventory, { stone: 3 })
  act(ben, 'rest', { action: 'rest', seconds: 0.01 })
  await until(() => ben.outcomes.length === 2)
  assert.ok(ben.outcomes[1].done)
})

test('an agent that leaves while logging in is not in the world', async () => {
  const moments = [() => true, () => world.agents.get('cem').bot, () => world.agents.get('cem').bot?._client?.uuid]
  for (const reached of moments) {
    const joining = join('cem', 'dora')
    while (!reached()) await new Promise(resolve => setImmediate(resolve))
    world.leave(['cem'])
    await joining
    assert.deepEqual([...world.agents.keys()], ['anna', 'ben', 'dora'])
    await until(() => faults.length)
    assert.equal(faults.shift().agent, 'cem')
  }
})

test('an agent that leaves while logging in and joins again can act', async () => {
  for (const milliseconds of [0, 1, 20, 60, 120, 250]) {
    world.join({ fred: { name: 'fred', host: 'host' } })
    const [first, { entering }] = [`first ${milliseconds}`, world.agents.get('fred')]
    act(world.agents.get('fred'), 'lost', { action: 'rest', seconds: 60 })
    if (milliseconds) await new Promise(resolve => setTimeout(resolve, milliseconds))
    const leaving = world.leave(['fred'])
    world.join({ fred: { name: 'fred', host: 'host' } })
    const fred = world.agents.get('fred')
    act(fred, first, { action: 'rest', seconds: 0.01 })
    await until(() => fred.outcomes.length)
    assert.deepEqual(fred.outcomes, [{ act_id: first, done: true, reason: '' }])
    await entering
    assert.equal(world.agents.get('fred'), fred)
    assert.equal(world.agentByUsername(fred.username), fred)
    assert.equal(world.serv.players.filter(each => each.username === fred.username).length, 1)
    const twice = Object.values(world.agents.get('anna').bot.entities).filter(each => each.username === fred.username)
    assert.ok(twice.length <= 1)
    assert.deepEqual(leaving.host?.fred?.outcomes, [{ act_id: 'lost', done: false, reason: 'left the world' }])
    world.leave(['fred'])
  }
  assert.ok(faults.splice(0).every(each => each.agent === 'fred'))
})

test('an act before the login of the bot waits for it', async () => {
  const joining = join('ella')
  const ella = world.agents.get('ella')
  assert.equal(act(ella, 'early', { action: 'rest', seconds: 0.01 }), '')
  await joining
  await until(() => ella.outcomes.length)
  assert.deepEqual(ella.outcomes, [{ act_id: 'early', done: true, reason: '' }])
  await until(() => world.agents.get('anna').bot.players.ella)
})

test('an unknown player cannot log in', async () => {
  const mineflayer = require('mineflayer')
  const { listeningPort: port } = world.serv
  const bot = mineflayer.createBot({ host: '127.0.0.1', port, username: 'stranger', version: '1.16.5' })
  bot.on('error', () => {})
  const [why] = await once(bot, 'kicked')
  assert.match(JSON.stringify(why), /for its agents/)
  assert.equal(world.serv.getPlayer('stranger'), null)
})

test('a block that two agents dig goes to one of them', async () => {
  const [anna, ben] = ['anna', 'ben'].map(id => world.agents.get(id))
  for (const each of [anna, ben]) each.inventory.put('wood_pickaxe', 2 - (each.inventory.held.wood_pickaxe ?? 0))
  const at = { ...anna.position, x: anna.position.x + 1 }
  await ben.player.teleport(anna.player.position.offset(0, 0, 0))
  await until(() => ben.distanceTo(at) <= 2)
  await world.plugin.setBlock(at, 'stone')
  const seen = ({ bot }) => bot.blockAt(bot.entity.position.offset(1, 0.1, 0)).name
  await until(() => seen(anna) === 'stone' && seen(ben) === 'stone')
  const before = [anna, ben].reduce((sum, each) => sum + (each.inventory.held.stone ?? 0), 0)
  anna.outcomes.length = ben.outcomes.length = 0
  for (const each of [anna, ben]) act(each, 'dig', { action: 'collect', block: 'stone', at })
  await until(() => anna.outcomes.length && ben.outcomes.length)
  assert.deepEqual([anna, ben].map(each => each.outcomes[0].reason).sort(), ['', 'another agent collected it first'])
  assert.equal([anna, ben].reduce((sum, each) => sum + (each.inventory.held.stone ?? 0), 0), before + 1)
  assert.equal(world.terrain.at(at.x, at.y, at.z), 'air')
})

test('a placed sapling stays a plant', async () => {
  const anna = world.agents.get('anna')
  const at = { ...anna.position, z: anna.position.z + 1 }
  for (const y of [at.y, at.y + 1]) await world.plugin.setBlock({ ...at, y }, 'air')
  await world.plugin.setBlock({ ...at, y: at.y - 1 }, 'grass_block')
  anna.inventory.put('sapling', 1)
  const done = async (id, what) => {
    anna.outcomes.length = 0
    act(anna, id, what)
    await until(() => anna.outcomes.length)
    return anna.outcomes[0].reason
  }
  assert.equal(await done('plant', { action: 'place', block: 'sapling', at }), '')
  assert.equal(await done('reap', { action: 'collect', block: 'plant', at }), 'cannot collect plant')
  assert.equal(world.terrain.at(at.x, at.y, at.z), 'oak_sapling')
})

test('no unexpected error was logged', () => {
  assert.deepEqual(faults, [])
})
