'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const { after, before, test } = require('node:test')
const { World } = require('../../infra/nemuri_infra/minecraft/bridge/world')

const settings = JSON.parse(fs.readFileSync(process.env.RULES, 'utf8'))
const faults = []
let world

/** Poll until the condition holds, for at most 20 seconds. */
async function until (condition) {
  const timeout = AbortSignal.timeout(20_000)
  while (!condition()) {
    timeout.throwIfAborted()
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const act = (agent, id, what) => world.act('host', { agent_id: agent.id, act_id: id, act: what })
const farAway = { action: 'go', to: { x: 300, y: 4, z: 0 } }

/** Let agents join; resolves when all admitted agents have joined. */
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

test('agents that join together see each other at their positions', async () => {
  const ids = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay']
  await join(...ids)
  const all = ids.map(each => world.agents.get(each))
  const seen = (one, other) => one.bot.players[other.username]?.entity?.position
  const inSight = (one, other) => seen(one, other)?.distanceTo(other.bot.entity.position) < 1
  await until(() => all.every(one => all.every(other => one === other || inSight(one, other))))
  world.leave(ids)
})

test('an agent that joins later sees other agents and cows', async () => {
  const anna = world.agents.get('anna')
  const crack = { entityId: anna.player.id, location: { x: 0, y: 3, z: 0 }, destroyStage: 1 }
  world.serv.once('newPlayer', () => {
    anna.player._writeOthersNearby('block_break_animation', crack)
    anna.player.updateAndSpawn()
  })
  await join('gus')
  const gus = world.agents.get('gus')
  const seen = sort => Object.values(gus.bot.entities).filter(sort)
  await until(() => seen(each => each.username === anna.username).length && seen(each => each.name === 'cow').length)
  await until(() => Object.values(anna.bot.entities).some(each => each.username === gus.username))
  world.leave(['gus'])
})

test('an agent whose bot is kicked rejoins at its position with its items', async () => {
  const anna = world.agents.get('anna')
  anna.inventory.put('wood', 63)
  anna.inventory.put('wood_pickaxe', 2)
  await anna.settled()
  anna.player.updateFood(11)
  act(anna, 'walk', farAway)
  await once(anna.bot, 'move')
  const [bot, { x, z }] = [anna.bot, anna.place]
  anna.player.kick('out')
  await until(() => anna.bot !== bot)
  await anna.entering
  assert.deepEqual(anna.holds, { wood: 63, wood_pickaxe: 2 })
  assert.equal(anna.bot.food, 11)
  assert.ok(Math.hypot(anna.place.x - x, anna.place.z - z) <= 2)
  assert.deepEqual(anna.outcomes, [{ act_id: 'walk', done: false, reason: 'lost its connection to the server' }])
  assert.equal(faults.shift().agent, 'anna')
})

test('an agent that dies respawns, gets the outcome and keeps its items', async () => {
  const ben = world.agents.get('ben')
  ben.inventory.put('stone', 3)
  act(ben, 'walk', farAway)
  await once(ben.bot, 'move')
  ben.player.updateHealth(0)
  await until(() => ben.outcomes.length && ben.bot.health === 20)
  assert.equal(ben.hurt, 20)
  assert.deepEqual(ben.outcomes, [{ act_id: 'walk', done: false, reason: 'died' }])
  await ben.settled()
  assert.deepEqual(ben.holds, { stone: 3 })
  act(ben, 'rest', { action: 'rest', seconds: 0.01 })
  await until(() => ben.outcomes.length === 2)
  assert.ok(ben.outcomes[1].done)
})

test('an agent that leaves before it has joined is not in the world', async () => {
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

test('an agent that leaves while joining and joins again is in the world and acts', async () => {
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
    assert.equal(world.byName(fred.username), fred)
    assert.equal(world.serv.players.filter(each => each.username === fred.username).length, 1)
    const twice = Object.values(world.agents.get('anna').bot.entities).filter(each => each.username === fred.username)
    assert.ok(twice.length <= 1)
    assert.deepEqual(leaving.host?.fred?.outcomes, [{ act_id: 'lost', done: false, reason: 'left the world' }])
    world.leave(['fred'])
  }
  assert.ok(faults.splice(0).every(each => each.agent === 'fred'))
})

test('an act sent before the bot has joined waits for it', async () => {
  const joining = join('ella')
  const ella = world.agents.get('ella')
  assert.equal(act(ella, 'early', { action: 'rest', seconds: 0.01 }), '')
  await joining
  await until(() => ella.outcomes.length)
  assert.deepEqual(ella.outcomes, [{ act_id: 'early', done: true, reason: '' }])
  await until(() => world.agents.get('anna').bot.players.ella)
})

test('an unknown player is refused', async () => {
  const mineflayer = require('mineflayer')
  const { listeningPort: port } = world.serv
  const bot = mineflayer.createBot({ host: '127.0.0.1', port, username: 'stranger', version: '1.16.5' })
  bot.on('error', () => {})
  const [why] = await once(bot, 'kicked')
  assert.match(JSON.stringify(why), /for its agents/)
  assert.equal(world.serv.getPlayer('stranger'), null)
})

test('of two agents that dig one block only one gets the item', async () => {
  const [anna, ben] = ['anna', 'ben'].map(id => world.agents.get(id))
  for (const each of [anna, ben]) each.inventory.put('wood_pickaxe', 2 - (each.inventory.held.wood_pickaxe ?? 0))
  const at = { ...anna.place, x: anna.place.x + 1 }
  await ben.player.teleport(anna.player.position.offset(0, 0, 0))
  await until(() => ben.distance(at) <= 2)
  await world.plugin.put(at, 'stone')
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

test('a plant ripens, is harvested and grows again', async () => {
  const anna = world.agents.get('anna')
  const at = { ...anna.place, z: anna.place.z + 1 }
  for (const y of [at.y, at.y + 1]) await world.plugin.put({ ...at, y }, 'air')
  await world.plugin.put({ ...at, y: at.y - 1 }, 'grass_block')
  anna.inventory.put('sapling', 1)
  const done = async (id, what) => {
    anna.outcomes.length = 0
    act(anna, id, what)
    await until(() => anna.outcomes.length)
    return anna.outcomes[0].reason
  }
  assert.equal(await done('plant', { action: 'place', block: 'sapling', at }), '')
  assert.equal(await done('early', { action: 'collect', block: 'plant', at }), 'the plant is not ripe yet')
  world.live(world.second + settings.table.ripening_seconds)
  assert.equal(await done('reap', { action: 'collect', block: 'ripe_plant', at }), '')
  assert.equal(anna.inventory.held.fruit, 1)
  assert.equal(world.terrain.at(at.x, at.y, at.z), 'oak_sapling')
  assert.equal(world.plants.ripening.size, 1)
})

test('no other error was logged', () => {
  assert.deepEqual(faults, [])
})
