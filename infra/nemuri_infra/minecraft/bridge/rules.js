'use strict'

const names = require('./names.json')
const { demand } = require('./refused')

/** What there is, what it takes and what it gives: the table of the grid world, under the names of both worlds. */
class Rules {
  /** `table` is what `nemuri_infra.minecraft.bridge_rules` tells. */
  constructor (table) {
    this.table = table
    this.itemsByThing = names.items
    this.thingsByItem = new Map(Object.entries(names.items).map(([thing, item]) => [item, thing]))
    this.kinds = new Map(Object.entries(names.blocks).flatMap(([kind, blocks]) => blocks.map(each => [each, kind])))
    this.visible = new Set(table.visible_blocks)
  }

  /** How the server calls an item. */
  item (thing) {
    demand(Object.hasOwn(this.itemsByThing, thing), `there is no item ${thing}`)
    return this.itemsByThing[thing]
  }

  /** How agents call an item of the server. */
  thing (item) {
    return this.thingsByItem.get(item) ?? item
  }

  /** How agents call a block of the server; undefined for what is of no use. */
  kind (block) {
    return this.kinds.get(block)
  }

  /** How the server calls a block; `path` is nothing at all. */
  block (kind) {
    return kind === 'path' ? 'air' : names.blocks[kind][0]
  }

  /** What taking a block gives whoever holds these things; refuses without the tool for it. */
  collecting (kind, held) {
    const rule = this.table.collecting[kind]
    demand(rule, kind === 'plant' ? 'the plant is not ripe yet' : `cannot collect ${kind}`)
    const { pickaxes } = this.table
    const good = rule.tool ? pickaxes.slice(pickaxes.indexOf(rule.tool)) : []
    demand(!rule.tool || good.some(each => held[each] > 0), `needs a ${rule.tool}`)
    return rule
  }

  /** The recipe of an item for whoever holds these things near these sorts of blocks; refuses what is missing. */
  crafting (thing, held, near) {
    const recipe = this.table.recipes[thing]
    demand(recipe, `there is no recipe for ${thing}`)
    const missing = Object.entries(recipe.ingredients).filter(([each, count]) => (held[each] ?? 0) < count)
    demand(missing.length === 0, `needs ${missing.map(([each, count]) => `${count} ${each}`).join(' and ')}`)
    for (const block of recipe.stations) demand(near.has(block), `there is no ${block} within reach`)
    return recipe
  }

  /** The block that an item becomes where it is put, and the sorts of blocks that it may replace. */
  placing (thing) {
    const rule = this.table.placing[thing]
    demand(rule, `cannot place ${thing}`)
    return { serverBlock: this.block(rule.block ?? thing), onto: rule.onto.filter(each => each !== 'path') }
  }

  /** Points of a blow of whoever holds these things. */
  damage (held) {
    const { sword_damage: swords, bare_hand_damage: bare } = this.table
    return Math.max(bare, ...Object.keys(swords).filter(each => held[each] > 0).map(each => swords[each]))
  }
}

module.exports = { Rules }
