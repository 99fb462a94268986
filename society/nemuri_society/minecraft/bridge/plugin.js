'use strict'

const { Vec3 } = require('vec3')
const { Refused } = require('./refusal')

const FLUSH_INTERVAL = 20
/** Milliseconds for which packets are collected. Many small packets cost the system more than the server. */
const MAX_POINTS = 20
/** Points of full health and food. */

/**
 * The features that the server lacks: speech with a radius, blocks that yield items by the rules and update the
 * terrain, a player list for late players, and respawning.
 */
class Plugin {
  /** `world` is the `World` of this server. */
  constructor (serv, world) {
    this.serv = serv
    this.world = world
    this.spawned = new Set()
    this.departures = new Map()
    this.trackBlockChanges()
    serv.on('error', error => world.log({ server: error.message, stack: error.stack }))
    serv.on('clientError', (client, error) => world.log({ client: client.username, error: error.message }))
    serv.on('newPlayer', player => this.welcome(player))
    setInterval(() => this.spawned.forEach(flush), FLUSH_INTERVAL).unref()
  }

  /** Update the terrain on each block change. */
  trackBlockChanges () {
    const { serv } = this
    const set = serv.setBlock
    serv.setBlock = (where, at, state) => {
      if (where === serv.overworld) this.world.onBlockChange(at, serv.registry.blocksByStateId[state].name)
      return set(where, at, state)
    }
  }

  /** Set a block for all players. */
  setBlock (at, block) {
    const { defaultState } = this.serv.registry.blocksByName[block]
    return this.serv.setBlock(this.serv.overworld, new Vec3(at.x, at.y, at.z), defaultState)
  }

  welcome (player) {
    const { serv } = this
    delete serv.entities[player.id]
    serv._sendPlayerList = newcomer => this.introduceNewcomer(newcomer)
    player.findSpawnPoint = async () => {
      const { x, y, z } = this.world.spawnPosition(player._client.username)
      player.spawnPoint = new Vec3(x + 0.5, y, z + 0.5)
    }
    const { socket } = player._client
    player.foodSaturation = 0
    player.username = player._client.username
    player.uuid = player._client.uuid
    player.once('spawned', () => player.disconnected || this.spawned.add(socket))
    player.once('disconnected', () => this.spawned.delete(socket))
    this.departures.set(player.username, this.departure(player))
    this.redirectChat(player)
    player.on('dug_cancel', (data, cancel) => this.dig(player, data, cancel))
    player._client.on('client_command', ({ actionId }) => actionId === 'perform_respawn' && this.revive(player))
  }

  /** Resolve when the server has removed a player. A player that leaves while logging in is spawned and removed. */
  async departure (player) {
    const { serv } = this
    await Promise.all(['spawned', 'disconnected'].map(each => new Promise(resolve => player.once(each, resolve))))
    if (serv.uuidToPlayer[player.uuid] === player) delete serv.uuidToPlayer[player.uuid]
    this.departures.delete(player.username)
  }

  /** Resolve when no player of a name is on the server. */
  async whenGone (name) {
    await this.departures.get(name)
  }

  /**
   * Introduce a new player and all others to each other. Afterwards the server shows it the entities nearby and shows
   * it to them.
   *
   * Until then it is not among the entities: its client, not yet in a world, fails on their actions and forgets the
   * players shown to it. A player that has already left is shown to nobody.
   */
  introduceNewcomer (newcomer) {
    for (const each of this.serv.players) introduce(each, each === newcomer ? this.serv.players : [newcomer])
    newcomer.nearbyEntities = []
    if (newcomer.disconnected) newcomer.updateAndSpawn = () => {}
    else this.serv.entities[newcomer.id] = newcomer
  }

  /** Respawn a dead player at its spawn point with its inventory. The server lacks the command. */
  async revive (player) {
    if (player.health > 0) return
    await player.teleport(player.spawnPoint.clone())
    player.food = MAX_POINTS
    player.updateHealth(MAX_POINTS)
  }

  /** Treat all chat and commands of clients as speech. */
  redirectChat (player) {
    player.on('chat_cancel', ({ message }, cancel) => {
      cancel()
      this.speak(player, message)
    })
    player.on('command_cancel', ({ command }, cancel) => {
      cancel()
      this.speak(player, `/${command}`)
    })
  }

  speak (speaker, text) {
    const message = JSON.stringify({ translate: 'chat.type.text', with: [{ text: speaker.username }, { text }] })
    for (const each of this.serv.players) {
      if (each === speaker || each.position.distanceTo(speaker.position) > this.world.radii.chat) continue
      each._client.write('chat', { message, position: 0, sender: speaker.uuid })
    }
  }

  /** Handle a dug block: it yields by the rules, once, to the first agent. */
  dig (player, data, cancel) {
    const { rules, terrain } = this.world
    const { x, y, z } = data.position
    const kind = rules.kindOf(terrain.at(x, y, z))
    const digger = this.world.agentByUsername(player.username)
    data.dropBlock = false
    data.drops.length = 0
    try {
      if (!kind || !digger) throw new Refused('the block is gone')
      const { remaining_block: remaining } = rules.collectingRule(kind, digger.inventory.held)
      this.world.chests.removeEmpty(x, y, z)
      if (remaining === kind) this.keepBlock(player, data.position, cancel)
      else this.replaceBlock(player, { x, y, z }, remaining)
      digger.collected(kind)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.keepBlock(player, data.position, cancel)
      digger?.digFailed(error)
    }
  }

  /** Keep the block and notify the player. */
  keepBlock (player, at, cancel) {
    cancel(false)
    player.sendBlock(at, this.serv.registry.blocksByName[this.world.terrain.at(at.x, at.y, at.z)].defaultState)
  }

  /** Replace a dug block, and refuse other agents that dig at it. */
  replaceBlock (player, at, kind) {
    const { rules, terrain, agents } = this.world
    terrain.put(at.x, at.y, at.z, rules.serverBlock(kind))
    player.once('dug_done', () => this.setBlock(at, rules.serverBlock(kind)))
    for (const each of agents.values()) if (each.player !== player) each.blockTaken(at)
  }
}

/** Send the collected packets and collect again. */
function flush (socket) {
  socket.uncork()
  socket.cork()
}

/** Send a player list entry of others to a player. It sees only players that it knows. */
function introduce (player, others) {
  player._client.write('player_info', {
    action: 'add_player',
    data: others.map(each => ({ uuid: each.uuid, name: each.username, properties: [], gamemode: 0, ping: 0 }))
  })
}

module.exports = { Plugin }
