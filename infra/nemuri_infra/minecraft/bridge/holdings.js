'use strict'

const { Refused, demand } = require('./refused')

/** What lies in the chests of a world, by their place. */
class Chests {
  /** `kept` is what `save` told. */
  constructor (room, kept = {}) {
    this.room = room
    this.inside = new Map(Object.entries(kept).map(([place, things]) => [place, new Map(Object.entries(things))]))
  }

  /** What lies in them, by place and thing. */
  save () {
    return Object.fromEntries([...this.inside].map(([place, things]) => [place, Object.fromEntries(things)]))
  }

  /** Refuses to take away a chest that something lies in. */
  emptied (x, y, z) {
    const place = `${x},${y},${z}`
    demand(!this.inside.get(place)?.size, 'the chest is not empty')
    this.inside.delete(place)
  }

  /** The chest at a place. */
  at ({ x, y, z }) {
    const place = `${x},${y},${z}`
    if (!this.inside.has(place)) this.inside.set(place, new Map())
    const things = this.inside.get(place)
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

/** Offers that stand until their partner makes the reverse one. */
class Trades {
  /** `patience` in seconds. */
  constructor (patience) {
    this.patience = patience
    this.standing = new Map()
  }

  /** Let an offer stand; resolves when it is taken, refuses, with the partner's name, when it was not in time. */
  offer (agent, { partner, offer, want }, name, signal) {
    return new Promise((resolve, reject) => {
      const end = then => value => {
        clearTimeout(timer)
        if (this.standing.get(agent.id) === mine) this.standing.delete(agent.id)
        then(value)
      }
      const mine = { partner, offer, want, resolve: end(resolve) }
      const refuse = end(reject)
      const timer = setTimeout(() => refuse(new Refused(`${name} did not agree`)), this.patience * 1000)
      signal.addEventListener('abort', () => refuse(signal.reason), { once: true })
      this.standing.set(agent.id, mine)
    })
  }

  /** The standing offer that is the reverse of this one, if there is one; it is taken then. */
  reverse (agent, { partner, offer, want }) {
    const theirs = this.standing.get(partner)
    const fits = theirs?.partner === agent.id && same(theirs.offer, want) && same(theirs.want, offer)
    return fits ? theirs : undefined
  }
}

function same (one, other) {
  return one.item === other.item && one.count === other.count
}

module.exports = { Chests, Trades }
