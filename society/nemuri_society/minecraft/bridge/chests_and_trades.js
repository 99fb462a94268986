'use strict'

const { Refused, demand } = require('./refusal')

/** The contents of all chests of a world, by position. */
class Chests {
  /** `kept` is the result of `save`. */
  constructor (room, kept = {}) {
    this.room = room
    this.contents = new Map(Object.entries(kept).map(([place, things]) => [place, new Map(Object.entries(things))]))
  }

  /** Return the contents by position and item. */
  save () {
    return Object.fromEntries([...this.contents].map(([place, things]) => [place, Object.fromEntries(things)]))
  }

  /** Remove a chest. Throw `Refused` if it is not empty. */
  removeEmpty (x, y, z) {
    const place = `${x},${y},${z}`
    demand(!this.contents.get(place)?.size, 'the chest is not empty')
    this.contents.delete(place)
  }

  /** Return the chest at a position. */
  at ({ x, y, z }) {
    const place = `${x},${y},${z}`
    if (!this.contents.has(place)) this.contents.set(place, new Map())
    const things = this.contents.get(place)
    return { put: stack => this.put(things, stack), take: stack => this.take(things, stack) }
  }

  put (things, { item, count }) {
    const all = [...things.values()].reduce((sum, each) => sum + each, 0)
    demand(all + count <= this.room, 'the chest has no room for that')
    things.set(item, (things.get(item) ?? 0) + count)
  }

  take (things, { item, count }) {
    const there = things.get(item) ?? 0
    const inside = [...things].sort().map(([each, number]) => `${number} ${each}`).join(', ') || 'nothing'
    demand(there >= count, `the chest holds ${inside}`)
    if (there === count) things.delete(item)
    else things.set(item, there - count)
  }
}

/** Open offers to trade. An offer waits for the matching offer of its partner. */
class Trades {
  /** `seconds` is the time for which an offer is open. */
  constructor (seconds) {
    this.seconds = seconds
    this.openOffers = new Map()
  }

  /** Open an offer. Resolve when it is accepted; reject with the partner's name when it expires. */
  offer (agent, { partner, offer, want }, name, signal) {
    return new Promise((resolve, reject) => {
      const end = then => value => {
        clearTimeout(timer)
        if (this.openOffers.get(agent.id) === mine) this.openOffers.delete(agent.id)
        then(value)
      }
      const mine = { partner, offer, want, resolve: end(resolve) }
      const refuse = end(reject)
      const timer = setTimeout(() => refuse(new Refused(`${name} did not agree`)), this.seconds * 1000)
      signal.addEventListener('abort', () => refuse(signal.reason), { once: true })
      this.openOffers.set(agent.id, mine)
    })
  }

  /** Return the open offer that matches this one, or undefined. */
  findMatching (agent, { partner, offer, want }) {
    const theirs = this.openOffers.get(partner)
    const fits = theirs?.partner === agent.id && same(theirs.offer, want) && same(theirs.want, offer)
    return fits ? theirs : undefined
  }
}

function same (one, other) {
  return one.item === other.item && one.count === other.count
}

module.exports = { Chests, Trades }
