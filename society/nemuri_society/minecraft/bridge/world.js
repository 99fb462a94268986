'use strict'

const { Agent } = require('./agent')
const { ACTS } = require('./actions')
const { randomNumbers } = require('./random')
const { Chests, Trades } = require('./chests_and_trades')
const { username } = require('./username')
const { outcome } = require('./act_runner')
const { buildPercept } = require('./percept')
const { Plugin } = require('./plugin')
const { Refused, demand } = require('./refusal')
const { Rules } = require('./rules')
const server = require('./server')
const { Terrain } = require('./terrain')

const LOGIN_SLOTS = 10
/** Bots that log in concurrently, at most. */
const TOWN_DISTANCE = 96
const TOWNS_PER_ROW = 4

/** One server with its agents, blocks and chests. */
class World {
  /** `kept` is the result of `save`, or null. `log(fields)` logs errors. */
  constructor ({ seed, table, radii, most, kept, log }) {
    Object.assign(this, { radii, most, log, second: kept?.second ?? 0, biome: 'plains' })
    this.rules = new Rules(table)
    this.terrain = new Terrain(seed, kept?.changes)
    this.random = randomNumbers(seed, Math.round(this.second))
    this.chests = new Chests(table.chest_capacity, kept?.chests)
    this.trades = new Trades(table.offer_seconds)
    this.savedAgents = new Map(Object.entries(kept?.agents ?? {}))
    this.towns = new Map(Object.entries(kept?.towns ?? {}))
    this.time = kept?.time ?? 0
    this.agents = new Map()
    this.agentsByUsername = new Map()
    this.spawnPositions = new Map()
    this.reserved = new Set()
    this.loginSlots = new Array(LOGIN_SLOTS).fill(Promise.resolve())
    this.turn = 0
  }

  async start () {
    const lacking = serv => { this.plugin = new Plugin(serv, this) }
    this.serv = await server.start(this.terrain, this.agentsByUsername, this.most, lacking)
    this.serv.time = this.time
  }

  /** Return the state from which a new world can continue. */
  save () {
    const agents = Object.fromEntries(this.savedAgents)
    for (const [id, agent] of this.agents) if (agent.inventory && agent.bot.entity) agents[id] = agent.save()
    return {
      second: this.second, time: this.serv.time, changes: this.terrain.save(), chests: this.chests.save(),
      towns: Object.fromEntries(this.towns), agents
    }
  }

  /** Let agents join, by id, or move present agents to another host. Bots log in one after the other. */
  join (joining) {
    for (const [id, each] of Object.entries(joining)) this.admit(id, each)
  }

  admit (id, { name, host, town }) {
    const there = this.agents.get(id)
    if (there) return Object.assign(there, { name, host, lastPercept: '' })
    const kept = this.savedAgents.get(id)
    const agent = new Agent(this, id, { name, host, username: username(id) })
    this.spawnPositions.set(agent.username, kept?.position ?? this.findSpawnPosition(town))
    this.agents.set(id, agent)
    this.agentsByUsername.set(agent.username, agent)
    agent.entering = this.logIn(agent, kept)
  }

  /**
   * Log the bot of an agent in when its previous bot has left and a login slot is free. Remove the agent on failure.
   */
  async logIn (agent, kept) {
    try {
      await this.plugin.whenGone(agent.username)
      await this.inLoginSlot(() => agent.enter(kept))
      if (this.isCurrent(agent)) this.savedAgents.delete(agent.id)
    } catch (error) {
      this.fault(agent, error)
      this.forget(agent)
      agent.leave()
    }
  }

  /** Return whether this agent object is in the world, and not a later one with the same id. */
  isCurrent (agent) {
    return this.agents.get(agent.id) === agent
  }

  /** Run a function when a login slot is free. */
  inLoginSlot (perform) {
    const slot = this.turn++ % this.loginSlots.length
    const done = this.loginSlots[slot].then(perform)
    this.loginSlots[slot] = done.catch(() => {})
    return done
  }

  forget (agent) {
    if (!this.isCurrent(agent)) return
    this.agents.delete(agent.id)
    this.agentsByUsername.delete(agent.username)
  }

  /** Let an agent with a disconnected bot join again. */
  reenter (agent, kept) {
    if (!this.isCurrent(agent)) return
    if (kept) this.spawnPositions.set(agent.username, kept.position)
    agent.entering = this.logIn(agent, kept)
  }

  /** Let agents leave. Return their last percepts by host and agent. */
  leave (ids) {
    const going = ids.map(id => this.agents.get(id)).filter(each => each)
    for (const agent of going) {
      if (agent.inventory) this.savedAgents.set(agent.id, agent.save())
      agent.leave()
    }
    const last = this.perceive(going)
    for (const agent of going) if (!agent.inventory && agent.outcomes.length) this.reportDeparted(agent, last)
    going.forEach(agent => this.forget(agent))
    return last
  }

  /** Add the outcomes of an agent that leaves before its bot logged in. */
  reportDeparted ({ id, host, username, outcomes }, hosts) {
    (hosts[host] ??= {})[id] = { second: this.second, position: this.spawnPosition(username), outcomes }
  }

  /**
   * Begin an act of an agent. Its outcome follows in a percept. Return the reason if the act is ignored, else an empty
   * string.
   */
  act (host, { agent_id: id, act_id: actId, act }) {
    const agent = this.agents.get(id)
    if (!agent) return `${id} is not in the world`
    if (agent.host !== host) return `${id} belongs to another host`
    if (!agent.actRunner.isNew(actId)) return `${actId} was heard before`
    const perform = ACTS[act.action]
    if (act.action === 'say') agent.entering.then(() => agent.actRunner.runAtOnce(actId, () => perform(agent, act)))
    else this.begin(agent, actId, act, perform)
    return ''
  }

  /** Begin an act as soon as the agent's bot has logged in. */
  begin (agent, actId, act, perform) {
    agent.actRunner.begin(actId, this.rules.table.visible_activity[act.action], async signal => {
      await agent.entering
      signal.throwIfAborted()
      agent.wake()
      await perform(agent, act, signal)
    })
  }

  /** Handle a changed block. Agents in its column may fall. */
  onBlockChange (at, block) {
    this.terrain.put(at.x, at.y, at.z, block)
    for (const each of this.agents.values()) {
      if (each.inventory && each.position.x === at.x && each.position.z === at.z) each.wake()
    }
  }

  /** Report an invalid act to its agent. */
  refuse (host, id, actId, reason) {
    const agent = this.agents.get(id)
    if (agent?.host === host && agent.actRunner.isNew(actId)) agent.outcomes.push(outcome(actId, reason))
  }

  /** Return the changed percepts by host and agent. */
  perceive (agents = this.agents.values()) {
    const hosts = {}
    for (const agent of agents) {
      const percept = agent.inventory && agent.bot.entity ? buildPercept(agent, this.second) : null
      if (percept) (hosts[agent.host] ??= {})[agent.id] = percept
    }
    return hosts
  }

  /** Advance the clock to a second. */
  advance (second) {
    this.second = second
    for (const agent of this.agents.values()) {
      if (agent.inventory) agent.pauseAtRest()
    }
  }

  agentByUsername (name) {
    return this.agentsByUsername.get(name)
  }

  /** Return the sighting fields of an entity; undefined for an irrelevant entity. */
  describeEntity (entity) {
    const agent = this.agentByUsername(entity.username)
    return agent && { id: agent.id, name: agent.name, activity: agent.actRunner.activity }
  }

  /** Return the spawn position of a player. */
  spawnPosition (name) {
    return this.spawnPositions.get(name)
  }

  findSpawnPosition (town) {
    if (!town) return this.terrain.findStandingPosition(0, 0, this.agents.size)
    if (!this.towns.has(town)) this.towns.set(town, this.towns.size + 1)
    const number = this.towns.get(town)
    const [x, z] = [number % TOWNS_PER_ROW, Math.floor(number / TOWNS_PER_ROW)]
    return this.terrain.findStandingPosition(x * TOWN_DISTANCE, z * TOWN_DISTANCE, this.agents.size)
  }

  /** Run a function while a position is reserved, so that nobody else places a block there. */
  async reserve ({ x, y, z }, perform) {
    const place = `${x},${y},${z}`
    demand(!this.reserved.has(place), 'another agent is placing a block there')
    this.reserved.add(place)
    try {
      await perform()
    } finally {
      this.reserved.delete(place)
    }
  }

  fault (agent, error) {
    const stack = error instanceof Refused ? undefined : error?.stack
    this.log({ agent: agent.id, error: String(error?.message ?? error), stack })
  }
}

module.exports = { World }
