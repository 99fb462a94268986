'use strict'

const { Vec3 } = require('vec3')
const { Refused } = require('./refused')

const GATHERING = 20
/** Milliseconds for which packets are gathered: many small ones cost the system more than the server. */

/**
 * What the server lacks: speech that carries so far and no farther, blocks that yield what the rules say and are told
 * of to the terrain, blows by what is held, a list of players for those who come late, and life after death.
 */
class Plugin {
  /** `world` is the `World` that this is the server of. */
  constructor (serv, world) {
    this.serv = serv
    this.world = world
    this.spawned = new Set()
    this.departures = new Map()
    this.follow()
    serv.on('error', error => world.log({ server: error.message, stack: error.stack }))
    serv.on('clientError', (client, error) => world.log({ client: client.username, error: error.message }))
    serv.on('newPlayer', player => this.welcome(player))
    setInterval(() => this.spawned.forEach(gather), GATHERING).unref()
  }

  /** Whatever changes a block tells the terrain. */
  follow () {
    const { serv } = this
    const set = serv.setBlock
    serv.setBlock = (where, at, state) => {
      if (where === serv.overworld) this.world.changed(at, serv.registry.blocksByStateId[state].name)
      return set(where, at, state)
    }
  }

  /** Another block is at a place, and all see it. */
  put (at, block) {
    const { defaultState } = this.serv.registry.blocksByName[block]
    return this.serv.setBlock(this.serv.overworld, new Vec3(at.x, at.y, at.z), defaultState)
  }

  welcome (player) {
    const { serv } = this
    delete serv.entities[player.id]
    serv._sendPlayerList = newcomer => this.present(newcomer)
    player.findSpawnPoint = async () => {
      const { x, y, z } = this.world.spawn(player._client.username)
      player.spawnPoint = new Vec3(x + 0.5, y, z + 0.5)
    }
    const { socket } = player._client
    player.foodSaturation = 0
    player.username = player._client.username
    player.uuid = player._client.uuid
    player.once('spawned', () => player.disconnected || this.spawned.add(socket))
    player.once('disconnected', () => this.spawned.delete(socket))
    this.departures.set(player.username, this.departure(player))
    this.hear(player)
    player.on('dug_cancel', (data, cancel) => this.dig(player, data, cancel))
    player.on('attack', data => this.strike(player, data))
    player.on('attack_done', data => this.struck(player, data))
    player._client.on('client_command', ({ actionId }) => actionId === 'perform_respawn' && this.revive(player))
  }

  /** Resolves when the server has done with a player: one that goes while it comes in is entered all the same. */
  async departure (player) {
    const { serv } = this
    await Promise.all(['spawned', 'disconnected'].map(each => new Promise(resolve => player.once(each, resolve))))
    if (serv.uuidToPlayer[player.uuid] === player) delete serv.uuidToPlayer[player.uuid]
    this.departures.delete(player.username)
  }

  /** Resolves when nobody of a name is on the server any more. */
  async gone (name) {
    await this.departures.get(name)
  }

  /**
   * Whoever comes in is told who others are, and others who it is; next the server shows it all that is near, and shows
   * it to them. Until then it is nowhere: its client, not yet in a world, ends at what others do in it, and forgets whom
   * it is shown. One that is gone already is shown to nobody.
   */
  present (newcomer) {
    for (const each of this.serv.players) introduce(each, each === newcomer ? this.serv.players : [newcomer])
    newcomer.nearbyEntities = []
    if (newcomer.disconnected) newcomer.updateAndSpawn = () => {}
    else this.serv.entities[newcomer.id] = newcomer
  }

  /** Whoever died begins anew where it once began, with what it holds: the server does not know the word for it. */
  async revive (player) {
    const { max_points: most } = this.world.rules.table
    if (player.health > 0) return
    await player.teleport(player.spawnPoint.clone())
    player.food = most
    player.updateHealth(most)
  }

  /** Whatever a client sends as chat is speech, and never a command. */
  hear (player) {
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

  /** A block was dug to its end: it yields by the rules, once, to who was first. */
  dig (player, data, cancel) {
    const { rules, terrain } = this.world
    const { x, y, z } = data.position
    const kind = rules.kind(terrain.at(x, y, z))
    const digger = this.world.byName(player.username)
    data.dropBlock = false
    data.drops.length = 0
    try {
      if (!kind || !digger) throw new Refused('the block is gone')
      const { remaining_block: remaining } = rules.collecting(kind, digger.inventory.held)
      this.world.chests.emptied(x, y, z)
      if (remaining === kind) this.keep(player, data.position, cancel)
      else this.replace(player, { x, y, z }, remaining)
      digger.collected(kind)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.keep(player, data.position, cancel)
      digger?.digRefused(error)
    }
  }

  /** The block stays, and who dug it is told so. */
  keep (player, at, cancel) {
    cancel(false)
    player.sendBlock(at, this.serv.registry.blocksByName[this.world.terrain.at(at.x, at.y, at.z)].defaultState)
  }

  /** Another block is where one was dug, and whoever else dug there is too late. */
  replace (player, at, kind) {
    const { rules, terrain, agents, plants } = this.world
    terrain.put(at.x, at.y, at.z, rules.block(kind))
    player.once('dug_done', () => this.put(at, rules.block(kind)))
    if (kind === 'plant') plants.planted(at)
    for (const each of agents.values()) if (each.player !== player) each.outrun(at)
  }

  strike (player, data) {
    data.damage = this.world.rules.damage(this.world.byName(player.username)?.inventory.held ?? {})
    data.velocity = new Vec3(0, 0, 0)
  }

  struck (player, { attackedEntity: other }) {
    const striker = this.world.byName(player.username)
    const defeated = other.type === 'mob' && other.health <= 0
    if (striker && defeated) this.world.creatures.defeated(other, striker)
    striker?.landed()
  }
}

/** Send what was gathered, and gather on. */
function gather (socket) {
  socket.uncork()
  socket.cork()
}

/** Tell a player who others are: it sees nobody whom it was not told of. */
function introduce (player, others) {
  player._client.write('player_info', {
    action: 'add_player',
    data: others.map(each => ({ uuid: each.uuid, name: each.username, properties: [], gamemode: 0, ping: 0 }))
  })
}

module.exports = { Plugin }
