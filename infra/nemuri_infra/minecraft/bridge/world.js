'use strict'

const { Agent } = require('./agent')
const { ACTS } = require('./acts')
const { randomNumbers } = require('./random')
const { Chests, Trades } = require('./holdings')
const { username } = require('./identities')
const { Creatures } = require('./creatures')
const { Plants, live } = require('./living')
const { outcome } = require('./hands')
const { perceive } = require('./perceiving')
const { Plugin } = require('./plugin')
const { Refused, demand } = require('./refused')
const { Rules } = require('./rules')
const server = require('./server')
const { Terrain } = require('./terrain')

const AT_ONCE = 10
/** Bots that come in at the same time. */
const TOWN_STEP = 96
const TOWNS_IN_A_ROW = 4

/** One server with the agents on it, its blocks, chests, plants and creatures. */
class World {
  /** `kept` is what `save` told, or null; `log(fields)` takes what went wrong. */
  constructor ({ seed, table, radii, most, kept, log }) {
    Object.assign(this, { radii, most, log, second: kept?.second ?? 0, biome: 'plains' })
    this.rules = new Rules(table)
    this.terrain = new Terrain(seed, kept?.changes)
    this.random = randomNumbers(seed, Math.round(this.second))
    this.chests = new Chests(table.chest_capacity, kept?.chests)
    this.plants = new Plants(this, kept?.plants)
    this.trades = new Trades(table.offer_seconds)
    this.kept = new Map(Object.entries(kept?.agents ?? {}))
    this.towns = new Map(Object.entries(kept?.towns ?? {}))
    this.time = kept?.time ?? 0
    this.agents = new Map()
    this.names = new Map()
    this.begins = new Map()
    this.reserved = new Set()
    this.doors = new Array(AT_ONCE).fill(Promise.resolve())
    this.turn = 0
  }

  async start () {
    const lacking = serv => { this.plugin = new Plugin(serv, this) }
    this.serv = await server.start(this.terrain, this.names, this.most, lacking)
    this.serv.time = this.time
    this.creatures = new Creatures(this)
    this.creatures.begin()
  }

  /** What a world like this one can begin from. */
  save () {
    const agents = Object.fromEntries(this.kept)
    for (const [id, agent] of this.agents) if (agent.inventory && agent.bot.entity) agents[id] = agent.save()
    return {
      second: this.second, time: this.serv.time, changes: this.terrain.save(), chests: this.chests.save(),
      plants: this.plants.save(), towns: Object.fromEntries(this.towns), agents
    }
  }

  /** Take agents in, by id, or let another host have them that are in. Their bots come in one after the other then. */
  join (joining) {
    for (const [id, each] of Object.entries(joining)) this.admit(id, each)
  }

  admit (id, { name, host, town }) {
    const there = this.agents.get(id)
    if (there) return Object.assign(there, { name, host, told: '' })
    const kept = this.kept.get(id)
    const agent = new Agent(this, id, { name, host, username: username(id) })
    this.begins.set(agent.username, kept?.position ?? this.beginning(town))
    this.agents.set(id, agent)
    this.names.set(agent.username, agent)
    agent.entering = this.comeIn(agent, kept)
  }

  /** Let the bot of an agent in as soon as its last one is gone and it is its turn; the agent is lost if it cannot. */
  async comeIn (agent, kept) {
    try {
      await this.plugin.gone(agent.username)
      await this.inTurn(() => agent.enter(kept))
      if (this.inside(agent)) this.kept.delete(agent.id)
    } catch (error) {
      this.fault(agent, error)
      this.forget(agent)
      agent.leave()
    }
  }

  /** Whether it is this one that is in, and not one that joined again since. */
  inside (agent) {
    return this.agents.get(agent.id) === agent
  }

  /** Do something as soon as one of the doors is free. */
  inTurn (perform) {
    const door = this.turn++ % this.doors.length
    const done = this.doors[door].then(perform)
    this.doors[door] = done.catch(() => {})
    return done
  }

  forget (agent) {
    if (!this.inside(agent)) return
    this.agents.delete(agent.id)
    this.names.delete(agent.username)
  }

  /** Let an agent in again whose bot was thrown out. */
  again (agent, kept) {
    if (!this.inside(agent)) return
    if (kept) this.begins.set(agent.username, kept.position)
    agent.entering = this.comeIn(agent, kept)
  }

  /** Agents go; what they have to be told yet is returned, by host and agent. */
  leave (ids) {
    const going = ids.map(id => this.agents.get(id)).filter(each => each)
    for (const agent of going) {
      if (agent.inventory) this.kept.set(agent.id, agent.save())
      agent.leave()
    }
    const last = this.perceive(going)
    for (const agent of going) if (!agent.inventory && agent.outcomes.length) this.dismiss(agent, last)
    going.forEach(agent => this.forget(agent))
    return last
  }

  /** Whoever goes before it was in is told what became of its acts. */
  dismiss ({ id, host, username, outcomes }, hosts) {
    (hosts[host] ??= {})[id] = { second: this.second, position: this.spawn(username), outcomes }
  }

  /** An agent does something; how that ends is told with what it perceives. Says why the act is none, if it is none. */
  act (host, { agent_id: id, act_id: actId, act }) {
    const agent = this.agents.get(id)
    if (!agent) return `${id} is not in the world`
    if (agent.host !== host) return `${id} belongs to another host`
    if (!agent.hands.fresh(actId)) return `${actId} was heard before`
    const perform = ACTS[act.action]
    if (act.action === 'say') agent.entering.then(() => agent.hands.aside(actId, () => perform(agent, act)))
    else this.begin(agent, actId, act, perform)
    return ''
  }

  /** Whoever is still coming in begins as soon as it is in. */
  begin (agent, actId, act, perform) {
    agent.hands.begin(actId, this.rules.table.visible_activity[act.action], async signal => {
      await agent.entering
      signal.throwIfAborted()
      agent.stir()
      await perform(agent, act, signal)
    })
  }

  /** There is another block at a place; whoever is in its column may fall. */
  changed (at, block) {
    this.terrain.put(at.x, at.y, at.z, block)
    for (const each of this.agents.values()) {
      if (each.inventory && each.place.x === at.x && each.place.z === at.z) each.stir()
    }
  }

  /** An agent is told that something it wanted is no act at all. */
  refuse (host, id, actId, reason) {
    const agent = this.agents.get(id)
    if (agent?.host === host && agent.hands.fresh(actId)) agent.outcomes.push(outcome(actId, reason))
  }

  /** What agents perceive of whom something changed, by host and agent. */
  perceive (agents = this.agents.values()) {
    const hosts = {}
    for (const agent of agents) {
      const percept = agent.inventory && agent.bot.entity ? perceive(agent, this.second) : null
      if (percept) (hosts[agent.host] ??= {})[agent.id] = percept
    }
    return hosts
  }

  /** It is this second now. */
  live (second) {
    const seconds = second - this.second
    this.second = second
    this.plants.grow()
    for (const agent of this.agents.values()) {
      if (!agent.inventory) continue
      live(agent, seconds)
      agent.calm()
    }
  }

  byName (name) {
    return this.names.get(name)
  }

  /** Who or what an entity is that a bot sees; undefined for what is of no interest. */
  known (entity) {
    if (entity.name === 'cow') return { id: `cow-${entity.id}`, name: 'cow', creature: true }
    const agent = this.byName(entity.username)
    return agent && { id: agent.id, name: agent.name, activity: agent.hands.activity }
  }

  /** The server's own account of a creature. */
  creature (id) {
    return this.serv.entities[id.replace(/^cow-/, '')]
  }

  /** Where a player begins. */
  spawn (name) {
    return this.begins.get(name)
  }

  beginning (town) {
    if (!town) return this.terrain.standing(0, 0, this.agents.size)
    if (!this.towns.has(town)) this.towns.set(town, this.towns.size + 1)
    const number = this.towns.get(town)
    const [x, z] = [number % TOWNS_IN_A_ROW, Math.floor(number / TOWNS_IN_A_ROW)]
    return this.terrain.standing(x * TOWN_STEP, z * TOWN_STEP, this.agents.size)
  }

  /** Nobody else puts anything at a place for the length of what is done. */
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
