'use strict'

const { splitPercepts } = require('./percept_messages')
const { WorldClient } = require('./world_client')
const { ServerAllocation } = require('./server_allocation')

/**
 * The connection between the bus and the worlds. It sends joins, leaves and acts to the right world, and percepts to
 * the right host.
 */
class Bridge {
  /**
   * @param settings as read by `main.js`
   * @param schemas validators of messages in both directions
   * @param publish `(host, message)` sends percepts
   * @param log `(fields)` logs ignored messages with the reason
   */
  constructor (settings, schemas, publish, log) {
    Object.assign(this, { settings, schemas, publish, log, worlds: [] })
    const saved = settings.saved ?? {}
    this.saved = saved
    this.allocation = new ServerAllocation(settings.servers, settings.agents_per_server, saved.allocation)
    this.present = new Map()
    this.delivering = true
    this.percepts = this.acts = 0
    this.startSecond = saved.second ?? 0
    this.began = performance.now()
  }

  /** Seconds of the worlds' clock. */
  get second () {
    return Math.round(this.startSecond * 1000 + performance.now() - this.began) / 1000
  }

  /** Start the worlds and wait until all accept agents. `ended()` is called if a world ends by itself. */
  async start (ended) {
    const { servers, seed, table, radii, agents_per_server: most } = this.settings
    this.worlds = Array.from({ length: servers }, () => new WorldClient(ended))
    this.ports = await Promise.all(this.worlds.map((world, number) => world.request('start', {
      seed: seed + number, table, radii, most, kept: this.saved.worlds?.[number] ?? null
    })))
    for (const [host, agents] of Object.entries(this.saved.present ?? {})) await this.join({ host, agents, towns: {} })
  }

  /**
   * Let agents join and return the answer to the host: the agents that are in the world now. Agents without room are
   * left out.
   */
  async join ({ host, agents, towns = {} }) {
    const { servers, agents_per_server: capacity, rate } = this.settings
    const groups = this.worlds.map(() => ({}))
    for (const [id, name] of Object.entries(agents)) {
      const server = this.allocation.allocate(id, towns[id])
      const full = `there is no room for ${id}: ${servers} servers take ${capacity} agents each`
      if (server === undefined) this.ignore('joining', full)
      else groups[server][id] = { name, host, town: towns[id] ?? null }
    }
    await Promise.all(groups.map((each, number) => this.worlds[number].request('join', { agents: each })))
    const inside = Object.assign({}, ...groups)
    for (const [id, { name }] of Object.entries(inside)) this.present.set(id, { name, host })
    return { agents: Object.keys(inside), second: this.second, rate }
  }

  removeAgent (id) {
    this.allocation.removeAgent(id)
    this.present.delete(id)
  }

  /** Let agents leave, except those of other hosts. */
  async leave ({ host, agents: named }) {
    const agents = named.filter(each => this.present.get(each)?.host === host)
    await Promise.all(this.grouped(agents).map(async ([number, ids]) => {
      this.publishPercepts(await this.worlds[number].request('leave', { agents: ids }))
    }))
    agents.forEach(each => this.removeAgent(each))
  }

  grouped (agents) {
    const groups = this.worlds.map(() => [])
    for (const each of agents) {
      const server = this.allocation.serverOf(each)
      if (server !== undefined) groups[server].push(each)
    }
    return groups.map((ids, number) => [number, ids]).filter(([, ids]) => ids.length > 0)
  }

  /** Send the acts of a host to the worlds. Invalid acts do not affect the others. */
  async act (message) {
    const { host, acts } = message
    const complaint = this.schemas.complaint('acts', { host, acts: [] })
    if (complaint || !Array.isArray(acts)) return this.ignore('acts', complaint || 'they are no list')
    const groups = this.worlds.map(() => [])
    this.acts += acts.length
    for (const each of acts) {
      const complaint = this.complaint(host, each)
      const server = typeof each?.agent_id === 'string' ? this.allocation.serverOf(each.agent_id) : undefined
      if (complaint) await this.refuseInvalidAct(host, each, server, complaint)
      else if (server === undefined) this.ignore('act', `${each.agent_id} is not in the world`)
      else groups[server].push(each)
    }
    await Promise.all(groups.map(async (each, number) => {
      if (each.length === 0) return
      const ignored = await this.worlds[number].request('act', { host, acts: each })
      ignored.forEach(reason => this.ignore('act', reason))
    }))
  }

  /**
   * Return the error of an act, or an empty string. The action is validated alone, so that its defaults are filled in.
   */
  complaint (host, act) {
    const whole = this.schemas.complaint('acts', { host, acts: [act] })
    const action = act?.act?.action
    return (typeof action === 'string' && this.schemas.complaint(action, act.act)) || whole
  }

  /** Log an invalid act and report its outcome if the agent is known. */
  async refuseInvalidAct (host, act, server, complaint) {
    const id = act?.act_id
    const named = !this.schemas.complaint('acts', { host, acts: [{ ...act, act: { action: 'rest' } }] })
    this.ignore('act', complaint)
    if (server === undefined || !named) return
    await this.worlds[server].request('refuse', { host, agent: act.agent_id, act: id, reason: `no act: ${complaint}` })
  }

  ignore (what, reason) {
    this.log({ ignored: what, reason })
  }

  /**
   * Send changed percepts to the hosts. Percepts wait while the bus is away. A world that is still busy is not asked
   * again.
   */
  async perceive () {
    await Promise.all(this.worlds.filter(each => !each.busy).map(async world => {
      world.busy = true
      try {
        this.publishPercepts(await world.request('perceive', { second: this.second, delivering: this.delivering }))
      } finally {
        world.busy = false
      }
    }))
  }

  publishPercepts (hosts) {
    for (const [host, percepts] of Object.entries(hosts)) {
      for (const message of splitPercepts(this.second, percepts)) {
        if (this.schemas.complaint('percepts', message)) this.removeInvalidPercepts(host, message)
        this.percepts += Object.keys(message.percepts).length
        this.publish(host, message)
      }
    }
  }

  /** Remove invalid percepts from a message so that the others can be sent. */
  removeInvalidPercepts (host, message) {
    for (const [agent, percept] of Object.entries(message.percepts)) {
      const complaint = this.schemas.complaint('percept', percept)
      if (!complaint) continue
      delete message.percepts[agent]
      this.log({ unsaid: 'percept', host, agent, reason: complaint })
    }
  }

  /** Return the state from which the worlds can continue. */
  async save () {
    const worlds = await Promise.all(this.worlds.map(each => each.request('save')))
    const present = {}
    for (const [id, { name, host }] of this.present) (present[host] ??= {})[id] = name
    return { version: 1, second: this.second, allocation: this.allocation.save(), present, worlds }
  }

  /** Return the second, the numbers of percepts and acts, and the port and number of agents of each world. */
  health () {
    const servers = this.worlds.map((_, number) => ({ port: this.ports[number].port, agents: this.allocation.counts[number] }))
    return { second: this.second, percepts: this.percepts, acts: this.acts, servers }
  }

  end () {
    this.worlds.forEach(each => each.end())
  }
}

module.exports = { Bridge }
