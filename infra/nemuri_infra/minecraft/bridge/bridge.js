'use strict'

const { messages } = require('./chunking')
const { Distant } = require('./distant')
const { Seating } = require('./seating')

/**
 * Stands between the bus and the worlds: takes who joins and leaves and what is done to the right world, and what is
 * perceived to the right host.
 */
class Bridge {
  /**
   * @param settings as `main.js` reads them
   * @param schemas what checks messages, of both directions
   * @param publish `(host, message)` sends percepts
   * @param log `(fields)` takes what is ignored, and why
   */
  constructor (settings, schemas, publish, log) {
    Object.assign(this, { settings, schemas, publish, log, worlds: [] })
    const kept = settings.kept ?? {}
    this.kept = kept
    this.seating = new Seating(settings.servers, settings.agents_per_server, kept.seating)
    this.present = new Map()
    this.heard = true
    this.before = kept.second ?? 0
    this.began = performance.now()
  }

  /** Seconds of the worlds' clock. */
  get second () {
    return Math.round(this.before * 1000 + performance.now() - this.began) / 1000
  }

  /** Start the worlds; resolves when all let agents in. `ended()` is called if one ends by itself. */
  async start (ended) {
    const { servers, seed, table, radii, agents_per_server: most } = this.settings
    this.worlds = Array.from({ length: servers }, () => new Distant(ended))
    this.ports = await Promise.all(this.worlds.map((world, number) => world.ask('start', {
      seed: seed + number, table, radii, most, kept: this.kept.worlds?.[number] ?? null
    })))
    for (const [host, agents] of Object.entries(this.kept.present ?? {})) await this.join({ host, agents, towns: {} })
  }

  /** The answer to a host that takes agents in: who of these is in, or comes in; for others there is no room. */
  async join ({ host, agents, towns = {} }) {
    const { servers, agents_per_server: capacity, rate } = this.settings
    const groups = this.worlds.map(() => ({}))
    for (const [id, name] of Object.entries(agents)) {
      const seat = this.seating.seat(id, towns[id])
      const full = `there is no room for ${id}: ${servers} servers take ${capacity} agents each`
      if (seat === undefined) this.ignore('joining', full)
      else groups[seat][id] = { name, host, town: towns[id] ?? null }
    }
    await Promise.all(groups.map((each, number) => this.worlds[number].ask('join', { agents: each })))
    const inside = Object.assign({}, ...groups)
    for (const [id, { name }] of Object.entries(inside)) this.present.set(id, { name, host })
    return { agents: Object.keys(inside), second: this.second, rate }
  }

  rise (id) {
    this.seating.rise(id)
    this.present.delete(id)
  }

  /** Agents go, those whom the host that says so speaks for. */
  async leave ({ host, agents: named }) {
    const agents = named.filter(each => this.present.get(each)?.host === host)
    await Promise.all(this.grouped(agents).map(async ([number, ids]) => {
      this.tell(await this.worlds[number].ask('leave', { agents: ids }))
    }))
    agents.forEach(each => this.rise(each))
  }

  grouped (agents) {
    const groups = this.worlds.map(() => [])
    for (const each of agents) if (this.seating.of(each) !== undefined) groups[this.seating.of(each)].push(each)
    return groups.map((ids, number) => [number, ids]).filter(([, ids]) => ids.length > 0)
  }

  /** What the agents of a host do; acts that are none do not keep the others from being done. */
  async act (message) {
    const { host, acts } = message
    const complaint = this.schemas.complaint('acts', { host, acts: [] })
    if (complaint || !Array.isArray(acts)) return this.ignore('acts', complaint || 'they are no list')
    const groups = this.worlds.map(() => [])
    for (const each of acts) {
      const complaint = this.complaint(host, each)
      const seat = typeof each?.agent_id === 'string' ? this.seating.of(each.agent_id) : undefined
      if (complaint) await this.garbled(host, each, seat, complaint)
      else if (seat === undefined) this.ignore('act', `${each.agent_id} is not in the world`)
      else groups[seat].push(each)
    }
    await Promise.all(groups.map(async (each, number) => {
      if (each.length === 0) return
      const ignored = await this.worlds[number].ask('act', { host, acts: each })
      ignored.forEach(reason => this.ignore('act', reason))
    }))
  }

  /** What is wrong with an act. Where one of several schemas holds, its defaults are put in by itself alone. */
  complaint (host, act) {
    const whole = this.schemas.complaint('acts', { host, acts: [act] })
    const action = act?.act?.action
    return (typeof action === 'string' && this.schemas.complaint(action, act.act)) || whole
  }

  /** Something that is no act: its agent is told so, if it is clear whose it would have been. */
  async garbled (host, act, seat, complaint) {
    const id = act?.act_id
    const named = !this.schemas.complaint('acts', { host, acts: [{ ...act, act: { action: 'rest' } }] })
    this.ignore('act', complaint)
    if (seat === undefined || !named) return
    await this.worlds[seat].ask('refuse', { host, agent: act.agent_id, act: id, reason: `no act: ${complaint}` })
  }

  ignore (what, reason) {
    this.log({ ignored: what, reason })
  }

  /**
   * Tell hosts what changed for their agents, which waits while nobody hears it; a world that is still at it is not
   * asked again.
   */
  async perceive () {
    await Promise.all(this.worlds.filter(each => !each.busy).map(async world => {
      world.busy = true
      try {
        this.tell(await world.ask('perceive', { second: this.second, heard: this.heard }))
      } finally {
        world.busy = false
      }
    }))
  }

  tell (hosts) {
    for (const [host, percepts] of Object.entries(hosts)) {
      for (const message of messages(this.second, percepts)) {
        if (this.schemas.complaint('percepts', message)) this.sift(host, message)
        this.publish(host, message)
      }
    }
  }

  /** Leave out of a message what it must not say, so that the others are told. */
  sift (host, message) {
    for (const [agent, percept] of Object.entries(message.percepts)) {
      const complaint = this.schemas.complaint('percept', percept)
      if (!complaint) continue
      delete message.percepts[agent]
      this.log({ unsaid: 'percept', host, agent, reason: complaint })
    }
  }

  /** Everything that the worlds can begin from again. */
  async save () {
    const worlds = await Promise.all(this.worlds.map(each => each.ask('save')))
    const present = {}
    for (const [id, { name, host }] of this.present) (present[host] ??= {})[id] = name
    return { version: 1, second: this.second, seating: this.seating.save(), present, worlds }
  }

  /** How many agents each world has, and where it listens. */
  health () {
    return this.worlds.map((_, number) => ({ port: this.ports[number].port, agents: this.seating.counts[number] }))
  }

  end () {
    this.worlds.forEach(each => each.end())
  }
}

module.exports = { Bridge }
