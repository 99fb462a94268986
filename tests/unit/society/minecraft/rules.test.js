'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { test } = require('node:test')
const bridge = '../../../../society/nemuri_society/minecraft/bridge'
const { Rules } = require(`${bridge}/rules`)

const rules = new Rules(JSON.parse(fs.readFileSync(process.env.RULES, 'utf8')))
const near = (...sorts) => new Set(sorts)

test('a block is collected with the required tool or a better one', () => {
  assert.throws(() => rules.collectingRule('iron', { wood_pickaxe: 1 }), /needs a stone_pickaxe/)
  assert.throws(() => rules.collectingRule('iron', { stone_pickaxe: 0 }), /needs a stone_pickaxe/)
  assert.equal(rules.collectingRule('iron', { stone_pickaxe: 1 }).item, 'iron')
  assert.equal(rules.collectingRule('iron', { diamond_pickaxe: 1 }).item, 'iron')
  assert.throws(() => rules.collectingRule('lava', {}), /cannot collect lava/)
})

test('an item needs all ingredients and stations of its recipe', () => {
  const all = { wood: 1, coal: 1, iron: 1 }
  assert.deepEqual(rules.recipeFor('iron_pickaxe', all, near('table', 'furnace')).ingredients, all)
  assert.throws(() => rules.recipeFor('iron_pickaxe', all, near('table')), /no furnace/)
  const wooden = () => rules.recipeFor('iron_pickaxe', { wood: 1 }, near('table', 'furnace'))
  assert.throws(wooden, /needs 1 coal and 1 iron/)
  assert.throws(() => rules.recipeFor('wings', all, near()), /no recipe/)
})

test('only placeable items can be placed', () => {
  assert.equal(rules.placingRule('table').serverBlock, 'crafting_table')
  assert.equal(rules.placingRule('sapling').serverBlock, 'oak_sapling')
  assert.throws(() => rules.placingRule('wood_pickaxe'), /cannot place/)
})

test('mapping a name to the server and back returns the same name', () => {
  for (const thing of Object.keys(rules.serverItems)) assert.equal(rules.itemName(rules.serverItem(thing)), thing)
  for (const kind of rules.table.visible_blocks) assert.equal(rules.kindOf(rules.serverBlock(kind)), kind)
  assert.throws(() => rules.serverItem('constructor'), /no item/)
})
