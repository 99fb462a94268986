'use strict'

const FIRST = 9
const LAST = 44
const HOTBAR = 36

/** The inventory of a player on the server. The client is notified of every change. */
class Inventory {
  /** `rules` maps item names. */
  constructor (player, registry, rules) {
    this.player = player
    this.registry = registry
    this.rules = rules
    this.Item = require('prismarine-item')(registry)
  }

  /** Number of each item. */
  get held () {
    return countItems(this.player.inventory.slots, this.rules)
  }

  /** Return how many more of an item fit. */
  room (thing) {
    const { id, stackSize } = this.serverItemType(thing)
    const free = this.slotNumbers().reduce((room, slot) => {
      const item = this.player.inventory.slots[slot]
      return room + (!item ? stackSize : item.type === id ? stackSize - item.count : 0)
    }, 0)
    return Math.max(0, Math.min(free, this.rules.table.max_carried - (this.held[thing] ?? 0)))
  }

  /** Add items. There must be room for them. */
  put (thing, count) {
    const { id, stackSize } = this.serverItemType(thing)
    const stacks = [...this.slotNumbers()].sort((one, other) => this.rank(one, id) - this.rank(other, id))
    for (const slot of stacks) {
      const item = this.player.inventory.slots[slot]
      if (count === 0 || (item && item.type !== id)) continue
      const more = Math.min(count, stackSize - (item?.count ?? 0))
      if (more > 0) this.set(slot, id, (item?.count ?? 0) + more)
      count -= more
    }
  }

  /** Remove items. They must be held. */
  take (thing, count) {
    const { id } = this.serverItemType(thing)
    for (const slot of this.slotNumbers()) {
      const item = this.player.inventory.slots[slot]
      if (count === 0 || item?.type !== id) continue
      const less = Math.min(count, item.count)
      this.set(slot, id, item.count - less)
      count -= less
    }
  }

  /** Move an item into the hand. It must be held. */
  holdItem (thing) {
    const { id } = this.serverItemType(thing)
    const hand = HOTBAR + this.player.heldItemSlot
    const { slots } = this.player.inventory
    if (slots[hand]?.type === id) return
    const from = this.slotNumbers().find(slot => slots[slot]?.type === id)
    const [wanted, other] = [slots[from], slots[hand]]
    this.set(hand, wanted.type, wanted.count)
    this.set(from, other?.type, other?.count ?? 0)
  }

  serverItemType (thing) {
    return this.registry.itemsByName[this.rules.serverItem(thing)]
  }

  slotNumbers () {
    return Array.from({ length: LAST - FIRST + 1 }, (_, each) => FIRST + each)
  }

  rank (slot, id) {
    return this.player.inventory.slots[slot]?.type === id ? 0 : 1
  }

  set (slot, id, count) {
    this.player.inventory.updateSlot(slot, count > 0 ? new this.Item(id, count) : null)
  }
}

/** Return the number of each item in some slots. */
function countItems (slots, rules) {
  const held = {}
  for (const item of slots.slice(FIRST, LAST + 1)) {
    if (item) held[rules.itemName(item.name)] = (held[rules.itemName(item.name)] ?? 0) + item.count
  }
  return held
}

module.exports = { Inventory, countItems }
