'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { test } = require('node:test')
const bridge = '../../../../infra/nemuri_infra/minecraft/bridge'
const { live } = require(`${bridge}/living`)
const { Rules } = require(`${bridge}/rules`)

const rules = new Rules(JSON.parse(fs.readFileSync(process.env.RULES, 'utf8')))
const near = (...sorts) => new Set(sorts)

test('a block is taken with the tool for it, or a better one', () => {
  assert.throws(() => rules.collecting('iron', { wood_pickaxe: 1 }), /needs a stone_pickaxe/)
  assert.throws(() => rules.collecting('iron', { stone_pickaxe: 0 }), /needs a stone_pickaxe/)
  assert.equal(rules.collecting('iron', { stone_pickaxe: 1 }).item, 'iron')
  assert.equal(rules.collecting('iron', { diamond_pickaxe: 1 }).item, 'iron')
  assert.throws(() => rules.collecting('lava', {}), /cannot collect lava/)
})

test('an item is made from all that its recipe asks for, near what it asks for', () => {
  const all = { wood: 1, coal: 1, iron: 1 }
  assert.deepEqual(rules.crafting('iron_pickaxe', all, near('table', 'furnace')).ingredients, all)
  assert.throws(() => rules.crafting('iron_pickaxe', all, near('table')), /no furnace/)
  const wooden = () => rules.crafting('iron_pickaxe', { wood: 1 }, near('table', 'furnace'))
  assert.throws(wooden, /needs 1 coal and 1 iron/)
  assert.throws(() => rules.crafting('wings', all, near()), /no recipe/)
})

test('only what can be put down is', () => {
  assert.equal(rules.placing('table').serverBlock, 'crafting_table')
  assert.equal(rules.placing('sapling').serverBlock, 'oak_sapling')
  assert.throws(() => rules.placing('wood_pickaxe'), /cannot place/)
})

test('blows are those of the best sword', () => {
  const { sword_damage: swords, bare_hand_damage: bare } = rules.table
  assert.equal(rules.damage({}), bare)
  assert.equal(rules.damage({ wood_sword: 1, iron_sword: 1 }), swords.iron_sword)
})

test('names of things and blocks lead back to where they came from', () => {
  for (const thing of Object.keys(rules.itemsByThing)) assert.equal(rules.thing(rules.item(thing)), thing)
  for (const kind of rules.table.visible_blocks) assert.equal(rules.kind(rules.block(kind)), kind)
  assert.throws(() => rules.item('constructor'), /no item/)
})

test('whoever eats nothing starves, whoever is fed mends, and faster at rest', () => {
  const body = (health, food, activity) => {
    const player = { health, food }
    player.updateHealth = value => { player.health = value }
    player.updateFood = value => { player.food = value }
    return { player, hungerTimer: 0, healing: 0, hands: { activity }, world: { rules } }
  }
  const after = (agent, seconds) => {
    for (let second = 0; second < seconds; second++) live(agent, 1)
    return agent.player
  }
  const { hunger_seconds: hunger, healing_seconds: healing } = rules.table
  assert.equal(after(body(20, 20, 'idle'), 3 * hunger).food, 17)
  assert.equal(after(body(10, 0, 'resting'), 3 * healing).health, 7)
  const idle = after(body(10, 20, 'idle'), 3 * healing).health
  assert.equal(idle, 13)
  assert.ok(after(body(10, 20, 'resting'), 2 * healing).health > idle)
  assert.equal(after(body(1, 0, 'idle'), 5 * healing).health, 0)
})
