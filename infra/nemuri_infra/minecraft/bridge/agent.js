'use strict'

const mineflayer = require('mineflayer')
const { once } = require('node:events')
const { pathfinder, Movements } = require('mineflayer-pathfinder')
const { Hands } = require('./hands')
const { Inventory, counted } = require('./inventory')
const { Refused, demand } = require('./refused')
const { HOST, PATIENCE, VERSION } = require('./server')

const SETTLING = 10_000
const AGAIN = 1_000
const STILL = 2
/** Milliseconds for the server's answer to what a bot does; before a bot that was thrown out comes in again. Seconds
    without a reason to move after which a body is at rest. */

/** One agent in the world: a bot of its own on the server, what it does, and what it has not yet been told. */
class Agent {
  constructor (world, id, { name, host, username }) {
    Object.assign(this, { world, id, name, host, username, heard: [], outcomes: [], hurt: 0, leaving: false })
    this.stirred = world.second
    this.hands = new Hands(each => this.outcomes.push(each), error => world.fault(this, error))
    this.waiting = null
    this.hungerTimer = 0
    this.healing = 0
    this.told = ''
  }

  /** Its body moves, by what it does or by what happens around it. */
  stir () {
    this.stirred = this.world.second
    this.bot.physicsEnabled = true
  }

  /** A body at rest is left alone: to compute twenty times a second that it stays is most of what idle bots cost. */
  calm () {
    const still = this.hands.activity === 'idle' && this.world.second - this.stirred > STILL
    if (still && this.bot.entity.onGround) this.bot.physicsEnabled = false
  }

  /** Come into the world; resolves when the bot stands in it. `kept` is what `save` told of an earlier life. */
  async enter (kept) {
    demand(!this.leaving, 'left before it joined')
    const bot = mineflayer.createBot({
      host: HOST, port: this.world.serv.listeningPort, username: this.username, version: VERSION, auth: 'offline',
      hideErrors: true, logErrors: false, checkTimeoutInterval: PATIENCE, viewDistance: 'tiny'
    })
    this.bot = bot
    bot.on('error', error => this.world.fault(this, error))
    bot.once('end', reason => this.ended(bot, reason))
    bot.loadPlugin(pathfinder)
    const gone = new AbortController()
    bot.once('end', () => gone.abort())
    await once(bot, 'spawn', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(PATIENCE)]) })
    this.player = this.world.serv.getPlayer(this.username)
    this.inventory = new Inventory(this.player, this.world.serv.registry, this.world.rules)
    this.equip(bot)
    this.restore(kept)
    await this.settled()
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
    bot.on('death', () => this.hands.stop('died'))
    bot._client.on('chat', packet => this.hear(packet))
  }

  restore (kept) {
    if (!kept) return
    for (const [thing, count] of Object.entries(kept.inventory)) this.inventory.put(thing, count)
    this.player.updateHealth(kept.health)
    this.player.updateFood(kept.hunger)
  }

  /** What is left of it when the world is made anew. */
  save () {
    const { place, player: { health, food } } = this
    return { position: place, inventory: this.inventory.held, health, hunger: food }
  }

  /** Where its feet are. */
  get place () {
    const { x, y, z } = this.bot.entity.position
    return { x: Math.floor(x), y: Math.floor(y + 0.01), z: Math.floor(z) }
  }

  /** What its bot knows that it holds. */
  get holds () {
    return counted(this.bot.inventory.slots, this.world.rules)
  }

  /** How far a place is. */
  distance (at) {
    const { x, y, z } = this.place
    return Math.hypot(at.x - x, at.y - y, at.z - z)
  }

  /** Refuses what is out of reach. */
  reaches (at) {
    demand(this.distance(at) <= this.world.radii.reach, 'that is out of reach')
  }

  hear ({ message }) {
    const said = JSON.parse(message)
    if (said.translate !== 'chat.type.text') return
    const speaker = this.world.byName(said.with[0].text)
    if (speaker) this.heard.push({ speaker: speaker.id, name: speaker.name, text: said.with[1].text, second: this.world.second })
  }

  /** Take a thing that is held into the hand; resolves when the bot has it there. */
  async hold (thing) {
    this.inventory.hold(thing)
    await this.until(() => this.bot.heldItem?.name === this.world.rules.item(thing))
  }

  /** Resolves when the bot has been told what it holds. */
  async settled () {
    await this.until(() => JSON.stringify(sorted(this.holds)) === JSON.stringify(sorted(this.inventory.held)))
  }

  /** Resolves when something is so, which the next packets about slots may make so. */
  async until (so) {
    const signal = AbortSignal.timeout(SETTLING)
    while (!so()) await once(this.bot._client, 'set_slot', { signal })
  }

  /** Begin something that the server answers by `answered`; resolves with it, rejects with what `refuse` is told. */
  answer (begin, signal) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Refused('the server did not answer')), SETTLING * 3)
      const end = then => value => {
        clearTimeout(timer)
        this.waiting = null
        then(value)
      }
      this.waiting = { resolve: end(resolve), reject: end(reject) }
      signal.addEventListener('abort', () => this.waiting?.reject(signal.reason), { once: true })
      begin().catch(error => this.waiting?.reject(error))
    })
  }

  /** The server let it have what a block gives. */
  collected (kind) {
    const { item, probability } = this.world.rules.table.collecting[kind]
    if (this.world.random() >= probability) return this.waiting?.reject(new Refused(`found no ${item} this time`))
    this.inventory.put(item, 1)
    this.waiting?.resolve()
  }

  /** The server did not let it dig. */
  digRefused (error) {
    this.waiting?.reject(error)
  }

  /** Somebody else took what it digs at. */
  outrun ({ x, y, z }) {
    if (this.waiting && this.digging && this.digging.x === x && this.digging.y === y && this.digging.z === z) {
      this.waiting.reject(new Refused('another agent collected it first'))
    }
  }

  /** Its blow landed. */
  landed () {
    this.waiting?.resolve()
  }

  ended (bot, reason) {
    if (this.leaving || bot !== this.bot) return
    this.world.fault(this, new Error(`its bot was thrown out: ${reason}`))
    this.hands.stop('lost its connection to the server')
    const kept = this.inventory && this.save()
    setTimeout(() => this.world.again(this, kept), AGAIN)
  }

  /** Go out of the world. */
  leave () {
    this.hands.stop('left the world')
    this.leaving = true
    this.bot?.end('left')
  }
}

function sorted (held) {
  return Object.entries(held).sort(([one], [other]) => (one < other ? -1 : 1))
}

module.exports = { Agent }
