'use strict'

/** On which of several servers each agent is: those of one town together as long as there is room there. */
class Seating {
  /** `servers` servers with `room` agents each; `kept` is what `save` told. */
  constructor (servers, room, kept = {}) {
    this.room = room
    this.counts = new Array(servers).fill(0)
    this.towns = new Map(Object.entries(kept.towns ?? {}))
    this.remembered = new Map(Object.entries(kept.agents ?? {}))
    this.agents = new Map()
  }

  save () {
    const agents = new Map([...this.remembered, ...this.agents])
    return { towns: Object.fromEntries(this.towns), agents: Object.fromEntries(agents) }
  }

  /** The server of an agent that is in; undefined for one that is not. */
  of (agent) {
    return this.agents.get(agent)
  }

  /** Give an agent a seat; tells its server, undefined if there is no room. */
  seat (agent, town) {
    if (this.agents.has(agent)) return this.agents.get(agent)
    const wanted = [this.remembered.get(agent), this.towns.get(town), this.counts.findIndex(each => each < this.room)]
    const server = wanted.find(each => this.counts[each] < this.room)
    if (server === undefined) return undefined
    this.agents.set(agent, server)
    this.counts[server] += 1
    if (town && !this.towns.has(town)) this.towns.set(town, server)
    return server
  }

  /** An agent is gone. */
  rise (agent) {
    if (!this.agents.has(agent)) return
    this.counts[this.agents.get(agent)] -= 1
    this.remembered.set(agent, this.agents.get(agent))
    this.agents.delete(agent)
  }
}

module.exports = { Seating }
