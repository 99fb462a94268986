'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const bridge = '../../../../infra/nemuri_infra/minecraft/bridge'
const { Hands, outcome } = require(`${bridge}/hands`)
const { Chests, Trades } = require(`${bridge}/holdings`)
const { Refused } = require(`${bridge}/refused`)
const { randomNumbers } = require(`${bridge}/random`)

function pair () {
  const told = []
  const faults = []
  return { told, faults, hands: new Hands(each => told.push(each), error => faults.push(error)) }
}

/** Something that goes on until it is stopped. */
const endless = signal => new Promise((resolve, reject) => {
  signal.addEventListener('abort', () => reject(signal.reason))
})

test('an act that is done is told of without a reason', async () => {
  const { told, hands } = pair()
  await hands.begin('a', 'craft', async () => {})
  assert.deepEqual(told, [{ act_id: 'a', done: true, reason: '' }])
  assert.equal(hands.activity, 'idle')
})

test('a refusal becomes the reason, and is nobody\'s fault', async () => {
  const { told, faults, hands } = pair()
  await hands.begin('a', 'craft', async () => { throw new Refused('it takes 1 wood') })
  assert.deepEqual(told, [{ act_id: 'a', done: false, reason: 'it takes 1 wood' }])
  assert.deepEqual(faults, [])
})

test('a fault of the world ends the act with a reason, and is reported', async () => {
  const { told, faults, hands } = pair()
  await hands.begin('a', 'craft', async () => { throw new Error('slot\nstack') })
  assert.deepEqual(told, [{ act_id: 'a', done: false, reason: 'the world failed: slot' }])
  assert.equal(faults.length, 1)
})

test('another act ends the one before it, and waits until that has let go', async () => {
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

test('speech does not end what the hands do', async () => {
  const { told, hands } = pair()
  const going = hands.begin('a', 'go', endless)
  await new Promise(setImmediate)
  hands.aside('b', () => {})
  hands.aside('c', () => { throw new Refused('no') })
  assert.deepEqual(told, [outcome('b'), outcome('c', 'no')])
  assert.equal(hands.activity, 'go')
  hands.stop('left')
  await going
  assert.deepEqual(told.at(-1), outcome('a', 'left'))
})

test('an act is heard once', () => {
  const { hands } = pair()
  assert.deepEqual([hands.fresh('a'), hands.fresh('a'), hands.fresh('b')], [true, false, true])
})

test('whatever acts come when, each has exactly one outcome', async () => {
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
    await hands.unwound
    const ids = told.map(each => each.act_id).sort((one, other) => one - other)
    assert.deepEqual(ids, Array.from({ length: 20 }, (_, act) => `${act}`), `seed ${seed}`)
    assert.ok(told.every(each => each.done === (each.reason === '')))
  }
})

test('a long reason is cut to what an outcome may say', () => {
  assert.equal([...outcome('a', '木'.repeat(300)).reason].length, 200)
})

const wood = count => ({ item: 'wood', count })
const stone = count => ({ item: 'stone', count })
const silent = new AbortController().signal

test('an offer stands until its partner makes the reverse one', async () => {
  const trades = new Trades(60)
  const standing = trades.offer({ id: 'a' }, { partner: 'b', offer: wood(1), want: stone(2) }, 'Ben', silent)
  assert.equal(trades.reverse({ id: 'c' }, { partner: 'a', offer: stone(2), want: wood(1) }), undefined)
  assert.equal(trades.reverse({ id: 'b' }, { partner: 'a', offer: stone(1), want: wood(1) }), undefined)
  trades.reverse({ id: 'b' }, { partner: 'a', offer: stone(2), want: wood(1) }).resolve()
  await standing
  assert.equal(trades.standing.size, 0)
})

test('an offer that nobody takes is refused, and so is one that is given up', async () => {
  const offered = { partner: 'b', offer: wood(1), want: stone(1) }
  await assert.rejects(new Trades(0.01).offer({ id: 'a' }, offered, 'Ben', silent), /Ben did not agree/)
  const stopping = new AbortController()
  const trades = new Trades(60)
  const standing = trades.offer({ id: 'a' }, offered, 'Ben', stopping.signal)
  stopping.abort(new Refused('given up'))
  await assert.rejects(standing, /given up/)
  assert.equal(trades.standing.size, 0)
})

test('a chest holds what was put in, no more than it can, and also after it was kept', () => {
  const chests = new Chests(10)
  const place = { x: 1, y: 4, z: -2 }
  chests.at(place).put(wood(8))
  assert.throws(() => chests.at(place).put(stone(3)), /no room/)
  const again = new Chests(10, JSON.parse(JSON.stringify(chests.save())))
  assert.throws(() => again.emptied(1, 4, -2), /not empty/)
  again.at(place).take(wood(8))
  again.at(place).put(stone(5))
  assert.throws(() => again.at(place).take(wood(1)), /holds 5 stone/)
  again.at(place).take(stone(5))
  again.emptied(1, 4, -2)
})
