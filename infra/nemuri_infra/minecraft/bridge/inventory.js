'use strict'

const FIRST = 9
const LAST = 44
const HOTBAR = 36

/** What a player of the server holds: told to its client whenever it changes. */
class Inventory {
  /** `rules` knows how agents call things. */
  constructor (player, registry, rules) {
    this.player = player
    this.registry = registry
    this.rules = rules
    this.Item = require('prismarine-item')(registry)
  }

  /** How many of each thing are held. */
  get held () {
    return counted(this.player.inventory.slots, this.rules)
  }

  /** How many more of a thing there is room for. */
  room (thing) {
    const { id, stackSize } = this.kind(thing)
    const free = this.range().reduce((room, slot) => {
      const item = this.player.inventory.slots[slot]
      return room + (!item ? stackSize : item.type === id ? stackSize - item.count : 0)
    }, 0)
    return Math.max(0, Math.min(free, this.rules.table.max_carried - (this.held[thing] ?? 0)))
  }

  /** Put some of a thing in; there has to be room. */
  put (thing, count) {
    const { id, stackSize } = this.kind(thing)
    const stacks = [...this.range()].sort((one, other) => this.rank(one, id) - this.rank(other, id))
    for (const slot of stacks) {
      const item = this.player.inventory.slots[slot]
      if (count === 0 || (item && item.type !== id)) continue
      const more = Math.min(count, stackSize - (item?.count ?? 0))
      if (more > 0) this.set(slot, id, (item?.count ?? 0) + more)
      count -= more
    }
  }

  /** Take some of a thing out; it has to be there. */
  take (thing, count) {
    const { id } = this.kind(thing)
    for (const slot of this.range()) {
      const item = this.player.inventory.slots[slot]
      if (count === 0 || item?.type !== id) continue
      const less = Math.min(count, item.count)
      this.set(slot, id, item.count - less)
      count -= less
    }
  }

  /** Bring a thing into the hand that holds; it has to be there. */
  hold (thing) {
    const { id } = this.kind(thing)
    const hand = HOTBAR + this.player.heldItemSlot
    const { slots } = this.player.inventory
    if (slots[hand]?.type === id) return
    const from = this.range().find(slot => slots[slot]?.type === id)
    const [wanted, other] = [slots[from], slots[hand]]
    this.set(hand, wanted.type, wanted.count)
    this.set(from, other?.type, other?.count ?? 0)
  }

  kind (thing) {
    return this.registry.itemsByName[this.rules.item(thing)]
  }

  range () {
    return Array.from({ length: LAST - FIRST + 1 }, (_, each) => FIRST + each)
  }

  rank (slot, id) {
    return this.player.inventory.slots[slot]?.type === id ? 0 : 1
  }

  set (slot, id, count) {
    this.player.inventory.updateSlot(slot, count > 0 ? new this.Item(id, count) : null)
  }
}

/** How many of each thing are in some slots. */
function counted (slots, rules) {
  const held = {}
  for (const item of slots.slice(FIRST, LAST + 1)) {
    if (item) held[rules.thing(item.name)] = (held[rules.thing(item.name)] ?? 0) + item.count
  }
  return held
}

module.exports = { Inventory, counted }
