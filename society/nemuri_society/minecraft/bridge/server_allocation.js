'use strict'

/** The server of each agent. Agents of a town share a server while there is room. */
class ServerAllocation {
  /** `servers` servers with `room` agents each; `kept` is the result of `save`. */
  constructor (servers, room, kept = {}) {
    this.room = room
    this.counts = new Array(servers).fill(0)
    this.towns = new Map(Object.entries(kept.towns ?? {}))
    this.previousServers = new Map(Object.entries(kept.agents ?? {}))
    this.agents = new Map()
  }

  save () {
    const agents = new Map([...this.previousServers, ...this.agents])
    return { towns: Object.fromEntries(this.towns), agents: Object.fromEntries(agents) }
  }

  /** Return the server of an agent; undefined for an absent agent. */
  serverOf (agent) {
    return this.agents.get(agent)
  }

  /** Allocate a server to an agent and return it; undefined if there is no room. */
  allocate (agent, town) {
    if (this.agents.has(agent)) return this.agents.get(agent)
    const first = this.counts.findIndex(each => each < this.room)
    const wanted = [this.previousServers.get(agent), this.towns.get(town), first]
    const server = wanted.find(each => this.counts[each] < this.room)
    if (server === undefined) return undefined
    this.agents.set(agent, server)
    this.counts[server] += 1
    if (town && !this.towns.has(town)) this.towns.set(town, server)
    return server
  }

  /** Remove an agent. */
  removeAgent (agent) {
    if (!this.agents.has(agent)) return
    this.counts[this.agents.get(agent)] -= 1
    this.previousServers.set(agent, this.agents.get(agent))
    this.agents.delete(agent)
  }
}

module.exports = { ServerAllocation }
