'use strict'

const names = require('./names.json')
const { demand } = require('./refusal')

/** The rules of the grid world, with names of items and blocks in both worlds. */
class Rules {
  /** `table` is the result of `nemuri_society.minecraft.bridge_rules`. */
  constructor (table) {
    this.table = table
    this.serverItems = names.items
    this.itemNames = new Map(Object.entries(names.items).map(([thing, item]) => [item, thing]))
    this.kindByBlock = new Map(Object.entries(names.blocks).flatMap(([kind, blocks]) => blocks.map(each => [each, kind])))
    this.visible = new Set(table.visible_blocks)
  }

  /** Return the server's name of an item. */
  serverItem (thing) {
    demand(Object.hasOwn(this.serverItems, thing), `there is no item ${thing}`)
    return this.serverItems[thing]
  }

  /** Return the agents' name of an item of the server. */
  itemName (item) {
    return this.itemNames.get(item) ?? item
  }

  /** Return the agents' name of a block of the server; undefined for a useless block. */
  kindOf (block) {
    return this.kindByBlock.get(block)
  }

  /** Return the server's name of a block; `path` is air. */
  serverBlock (kind) {
    return kind === 'path' ? 'air' : names.blocks[kind][0]
  }

  /** Return the rule for collecting a block with these items. Throw `Refused` without the required tool. */
  collectingRule (kind, held) {
    const rule = this.table.collecting[kind]
    demand(rule, `cannot collect ${kind}`)
    const { pickaxes } = this.table
    const good = rule.tool ? pickaxes.slice(pickaxes.indexOf(rule.tool)) : []
    demand(!rule.tool || good.some(each => held[each] > 0), `needs a ${rule.tool}`)
    return rule
  }

  /** Return the recipe of an item with these items and blocks nearby. Throw `Refused` if something is missing. */
  recipeFor (thing, held, near) {
    const recipe = this.table.recipes[thing]
    demand(recipe, `there is no recipe for ${thing}`)
    const missing = Object.entries(recipe.ingredients).filter(([each, count]) => (held[each] ?? 0) < count)
    demand(missing.length === 0, `needs ${missing.map(([each, count]) => `${count} ${each}`).join(' and ')}`)
    for (const block of recipe.stations) demand(near.has(block), `there is no ${block} within reach`)
    return recipe
  }

  /** Return the server's block for a placed item, and the kinds of blocks that it may replace. */
  placingRule (thing) {
    const rule = this.table.placing[thing]
    demand(rule, `cannot place ${thing}`)
    return { serverBlock: this.serverBlock(rule.block ?? thing), onto: rule.onto.filter(each => each !== 'path') }
  }
}

module.exports = { Rules }
