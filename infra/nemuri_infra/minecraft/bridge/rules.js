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
    this.sorts = new Map(Object.entries(names.blocks).flatMap(([sort, blocks]) => blocks.map(each => [each, sort])))
    this.seen = new Set(table.seen)
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
  sort (block) {
    return this.sorts.get(block)
  }

  /** How the server calls a block; `path` is nothing at all. */
  block (sort) {
    return sort === 'path' ? 'air' : names.blocks[sort][0]
  }

  /** What taking a block gives whoever holds these things; refuses without the tool for it. */
  taking (sort, held) {
    const found = this.table.collecting[sort]
    demand(found, sort === 'plant' ? 'the plant is not ripe yet' : `nobody can take ${sort}`)
    const { pickaxes } = this.table
    const good = found.needs ? pickaxes.slice(pickaxes.indexOf(found.needs)) : []
    demand(!found.needs || good.some(each => held[each] > 0), `that takes a ${found.needs}`)
    return found
  }

  /** The recipe of an item for whoever holds these things near these sorts of blocks; refuses what is missing. */
  crafting (thing, held, near) {
    const recipe = this.table.recipes[thing]
    demand(recipe, `there is no recipe for ${thing}`)
    const missing = Object.entries(recipe.uses).filter(([each, count]) => (held[each] ?? 0) < count)
    demand(missing.length === 0, `that takes ${missing.map(([each, count]) => `${count} ${each}`).join(' and ')}`)
    for (const block of recipe.near) demand(near.has(block), `there is no ${block} within reach`)
    return recipe
  }

  /** The block that an item becomes where it is put, and the sorts of blocks that it may replace. */
  placing (thing) {
    const found = this.table.placing[thing]
    demand(found, `nobody can place ${thing}`)
    return { becomes: this.block(found.becomes ?? thing), into: found.on.filter(each => each !== 'path') }
  }

  /** Points of a blow of whoever holds these things. */
  blow (held) {
    const { swords, bare_hands: bare } = this.table
    return Math.max(bare, ...Object.keys(swords).filter(each => held[each] > 0).map(each => swords[each]))
  }
}

module.exports = { Rules }
