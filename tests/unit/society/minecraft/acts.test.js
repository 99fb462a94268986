'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const bridge = '../../../../society/nemuri_society/minecraft/bridge'
const { ActRunner, outcome } = require(`${bridge}/act_runner`)
const { Chests, Trades } = require(`${bridge}/chests_and_trades`)
const { Refused } = require(`${bridge}/refusal`)
const { randomNumbers } = require(`${bridge}/random`)

function pair () {
  const told = []
  const faults = []
  return { told, faults, hands: new ActRunner(each => told.push(each), error => faults.push(error)) }
}

/** An act that continues until it is stopped. */
const endless = signal => new Promise((resolve, reject) => {
  signal.addEventListener('abort', () => reject(signal.reason))
})

test('a completed act has an outcome without a reason', async () => {
  const { told, hands } = pair()
  await hands.begin('a', 'craft', async () => {})
  assert.deepEqual(told, [{ act_id: 'a', done: true, reason: '' }])
  assert.equal(hands.activity, 'idle')
})

test('a refusal becomes the reason of the outcome and is not logged', async () => {
  const { told, faults, hands } = pair()
  await hands.begin('a', 'craft', async () => { throw new Refused('it takes 1 wood') })
  assert.deepEqual(told, [{ act_id: 'a', done: false, reason: 'it takes 1 wood' }])
  assert.deepEqual(faults, [])
})

test('an error of the world ends the act with a reason and is logged', async () => {
  const { told, faults, hands } = pair()
  await hands.begin('a', 'craft', async () => { throw new Error('slot\nstack') })
  assert.deepEqual(told, [{ act_id: 'a', done: false, reason: 'the world failed: slot' }])
  assert.equal(faults.length, 1)
})

test('a new act ends the current one and begins after its cleanup', async () => {
  const { told, hands } = pair()
  const order = []
  hands.begin('a', 'go', async signal => {
    await endless(signal).catch(() => {})
    order.push('let go')
  })
  await new Promise(setImmediate)
  assert.equal(hands.activity, 'go')
  await hands.begin('b', 'rest', async () => order.push('rested'))
  assert.deepEqual(told, [outcome('a', 'replaced by another act'), outcome('b')])
  assert.deepEqual(order, ['let go', 'rested'])
})

test('speech does not end the current act', async () => {
  const { told, hands } = pair()
  const going = hands.begin('a', 'go', endless)
  await new Promise(setImmediate)
  hands.runAtOnce('b', () => {})
  hands.runAtOnce('c', () => { throw new Refused('no') })
  assert.deepEqual(told, [outcome('b'), outcome('c', 'no')])
  assert.equal(hands.activity, 'go')
  hands.stop('left')
  await going
  assert.deepEqual(told.at(-1), outcome('a', 'left'))
})

test('an act id is new only once', () => {
  const { hands } = pair()
  assert.deepEqual([hands.isNew('a'), hands.isNew('a'), hands.isNew('b')], [true, false, true])
})

test('each of many acts has exactly one outcome', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const { told, hands } = pair()
    const chance = randomNumbers(seed)
    const refuse = async () => { throw new Refused('no') }
    const sorts = [async () => {}, refuse, async () => { throw new Error('x') }, endless]
    for (let act = 0; act < 20; act++) {
      hands.begin(`${act}`, 'rest', sorts[Math.floor(chance() * sorts.length)])
      if (chance() < 0.5) await new Promise(setImmediate)
      if (chance() < 0.2) hands.stop('left')
    }
    hands.stop('left')
    await hands.finished
    const ids = told.map(each => each.act_id).sort((one, other) => one - other)
    assert.deepEqual(ids, Array.from({ length: 20 }, (_, act) => `${act}`), `seed ${seed}`)
    assert.ok(told.every(each => each.done === (each.reason === '')))
  }
})

test('a long reason is truncated to 200 characters', () => {
  assert.equal([...outcome('a', '木'.repeat(300)).reason].length, 200)
})

const wood = count => ({ item: 'wood', count })
const stone = count => ({ item: 'stone', count })
const silent = new AbortController().signal

test('an offer stays open until the partner makes the matching one', async () => {
  const trades = new Trades(60)
  const standing = trades.offer({ id: 'a' }, { partner: 'b', offer: wood(1), want: stone(2) }, 'Ben', silent)
  assert.equal(trades.findMatching({ id: 'c' }, { partner: 'a', offer: stone(2), want: wood(1) }), undefined)
  assert.equal(trades.findMatching({ id: 'b' }, { partner: 'a', offer: stone(1), want: wood(1) }), undefined)
  trades.findMatching({ id: 'b' }, { partner: 'a', offer: stone(2), want: wood(1) }).resolve()
  await standing
  assert.equal(trades.openOffers.size, 0)
})

test('an offer that expires or is aborted is refused', async () => {
  const offered = { partner: 'b', offer: wood(1), want: stone(1) }
  await assert.rejects(new Trades(0.01).offer({ id: 'a' }, offered, 'Ben', silent), /Ben did not agree/)
  const stopping = new AbortController()
  const trades = new Trades(60)
  const standing = trades.offer({ id: 'a' }, offered, 'Ben', stopping.signal)
  stopping.abort(new Refused('given up'))
  await assert.rejects(standing, /given up/)
  assert.equal(trades.openOffers.size, 0)
})

test('a chest keeps its contents within its capacity, also after a restart', () => {
  const chests = new Chests(10)
  const place = { x: 1, y: 4, z: -2 }
  chests.at(place).put(wood(8))
  assert.throws(() => chests.at(place).put(stone(3)), /no room/)
  const again = new Chests(10, JSON.parse(JSON.stringify(chests.save())))
  assert.throws(() => again.removeEmpty(1, 4, -2), /not empty/)
  again.at(place).take(wood(8))
  again.at(place).put(stone(5))
  assert.throws(() => again.at(place).take(wood(1)), /holds 5 stone/)
  again.at(place).take(stone(5))
  again.removeEmpty(1, 4, -2)
})
