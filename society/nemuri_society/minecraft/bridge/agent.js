'use strict'

const mineflayer = require('mineflayer')
const { once } = require('node:events')
const { pathfinder, Movements } = require('mineflayer-pathfinder')
const { ActRunner } = require('./act_runner')
const { Inventory, countItems } = require('./inventory')
const { Refused, demand } = require('./refusal')
const { HOST, KEEP_ALIVE_TIMEOUT, VERSION } = require('./server')

const SYNC_TIMEOUT = 10_000
const REENTER_DELAY = 1_000
const REST_DELAY = 2
/**
 * Milliseconds for an answer of the server; milliseconds before a disconnected bot logs in again; seconds without
 * movement after which physics is paused.
 */

/** One agent in the world: its bot on the server, its acts and its unread events. */
class Agent {
  constructor (world, id, { name, host, username }) {
    Object.assign(this, { world, id, name, host, username, heard: [], deeds: [], outcomes: [], hurt: 0, leaving: false })
    this.lastMoved = world.second
    this.actRunner = new ActRunner(each => this.outcomes.push(each), error => world.fault(this, error))
    this.pendingAnswer = null
    this.lastPercept = ''
  }

  /** Resume the physics of the bot because it moves or a block near it changed. */
  wake () {
    this.lastMoved = this.world.second
    this.bot.physicsEnabled = true
  }

  /** Pause the physics of a bot at rest. Computing it twenty times a second is most of the cost of idle bots. */
  pauseAtRest () {
    const still = this.actRunner.activity === 'idle' && this.world.second - this.lastMoved > REST_DELAY
    if (still && this.bot.entity.onGround) this.bot.physicsEnabled = false
  }

  /**
   * Log the bot in and wait until it is in the world. `kept` is the result of `save` of an earlier session, or null.
   */
  async enter (kept) {
    demand(!this.leaving, 'left before it joined')
    const bot = mineflayer.createBot({
      host: HOST, port: this.world.serv.listeningPort, username: this.username, version: VERSION, auth: 'offline',
      hideErrors: true, logErrors: false, checkTimeoutInterval: KEEP_ALIVE_TIMEOUT, viewDistance: 'tiny'
    })
    this.bot = bot
    bot.on('error', error => this.world.fault(this, error))
    bot.once('end', reason => this.onBotEnd(bot, reason))
    bot.loadPlugin(pathfinder)
    const gone = new AbortController()
    bot.once('end', () => gone.abort())
    await once(bot, 'spawn', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(KEEP_ALIVE_TIMEOUT)]) })
    this.player = this.world.serv.getPlayer(this.username)
    this.inventory = new Inventory(this.player, this.world.serv.registry, this.world.rules)
    this.equip(bot)
    this.restore(kept)
    await this.inventorySynced()
  }

  equip (bot) {
    const movements = new Movements(bot)
    Object.assign(movements, { canDig: false, allow1by1towers: false, scafoldingBlocks: [], allowParkour: false })
    bot.pathfinder.setMovements(movements)
    bot.pathfinder.thinkTimeout = 5_000
    bot.pathfinder.tickTimeout = 10
    this.health = bot.health
    bot.on('health', () => {
      if (bot.health < this.health) this.hurt += Math.round(this.health - bot.health)
      this.health = bot.health
    })
    bot.on('death', () => this.actRunner.stop('died'))
    bot._client.on('chat', packet => this.hear(packet))
  }

  restore (kept) {
    if (!kept) return
    for (const [thing, count] of Object.entries(kept.inventory)) this.inventory.put(thing, count)
    this.player.updateHealth(kept.health)
    this.player.updateFood(kept.hunger)
  }

  /** Return the state from which the agent continues after it joins again. */
  save () {
    const { position, player: { health, food } } = this
    return { position, inventory: this.inventory.held, health, hunger: food }
  }

  /** Position of its feet. */
  get position () {
    const { x, y, z } = this.bot.entity.position
    return { x: Math.floor(x), y: Math.floor(y + 0.01), z: Math.floor(z) }
  }

  /** Inventory as known to the bot. */
  get botInventory () {
    return countItems(this.bot.inventory.slots, this.world.rules)
  }

  /** Return the distance to a position in blocks. */
  distanceTo (at) {
    const { x, y, z } = this.position
    return Math.hypot(at.x - x, at.y - y, at.z - z)
  }

  /** Throw `Refused` if a position is out of reach. */
  demandReach (at) {
    demand(this.distanceTo(at) <= this.world.radii.reach, 'that is out of reach')
  }

  hear ({ message }) {
    const said = JSON.parse(message)
    if (said.translate !== 'chat.type.text') return
    const speaker = this.world.agentByUsername(said.with[0].text)
    if (!speaker) return
    this.heard.push({ speaker: speaker.id, name: speaker.name, text: said.with[1].text, second: this.world.second })
  }

  /** Report what this agent did to another one: `gave`, `offered` or `traded`. */
  reportDeed (deed, other, stack, want = null) {
    other.deeds.push({ deed, by: this.id, name: this.name, stack, want, second: this.world.second })
  }

  /** Put a held item into the hand and wait until the bot knows. */
  async holdItem (thing) {
    this.inventory.holdItem(thing)
    await this.waitForSlots(() => this.bot.heldItem?.name === this.world.rules.serverItem(thing))
  }

  /** Wait until the bot knows its inventory. */
  async inventorySynced () {
    const encoded = held => JSON.stringify(sorted(held))
    await this.waitForSlots(() => encoded(this.botInventory) === encoded(this.inventory.held))
  }

  /** Wait until a condition holds. It is checked after each inventory packet. */
  async waitForSlots (so) {
    const signal = AbortSignal.timeout(SYNC_TIMEOUT)
    while (!so()) await once(this.bot._client, 'set_slot', { signal })
  }

  /** Begin an operation that the server answers. Resolve or reject with the answer, see `pendingAnswer`. */
  awaitServer (begin, signal) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Refused('the server did not answer')), SYNC_TIMEOUT * 3)
      const end = then => value => {
        clearTimeout(timer)
        this.pendingAnswer = null
        then(value)
      }
      this.pendingAnswer = { resolve: end(resolve), reject: end(reject) }
      signal.addEventListener('abort', () => this.pendingAnswer?.reject(signal.reason), { once: true })
      begin().catch(error => this.pendingAnswer?.reject(error))
    })
  }

  /** Handle the server's answer that a block was collected. */
  collected (kind) {
    const { item, probability } = this.world.rules.table.collecting[kind]
    if (this.world.random() >= probability) return this.pendingAnswer?.reject(new Refused(`found no ${item} this time`))
    this.inventory.put(item, 1)
    this.pendingAnswer?.resolve()
  }

  /** Handle the server's answer that digging was refused. */
  digFailed (error) {
    this.pendingAnswer?.reject(error)
  }

  /** Refuse digging at a position because another agent collected the block. */
  blockTaken ({ x, y, z }) {
    if (this.pendingAnswer && this.digging && this.digging.x === x && this.digging.y === y && this.digging.z === z) {
      this.pendingAnswer.reject(new Refused('another agent collected it first'))
    }
  }

  onBotEnd (bot, reason) {
    if (this.leaving || bot !== this.bot) return
    this.world.fault(this, new Error(`its bot was thrown out: ${reason}`))
    this.actRunner.stop('lost its connection to the server')
    const kept = this.inventory && this.save()
    setTimeout(() => this.world.reenter(this, kept), REENTER_DELAY)
  }

  /** Leave the world. */
  leave () {
    this.actRunner.stop('left the world')
    this.leaving = true
    this.bot?.end('left')
  }
}

function sorted (held) {
  return Object.entries(held).sort(([one], [other]) => (one < other ? -1 : 1))
}

module.exports = { Agent }
