'use strict'

const { Vec3 } = require('vec3')
const { FEET } = require('./terrain')

const COW_COUNT = 8
const COW_DISTANCE = 48
/** Number of cows, and their distance from the centre of the world in blocks. */

/** The creatures of a world: cows, which do not move. A defeated cow is replaced by a new one. */
class Creatures {
  constructor (world) {
    this.world = world
    this.number = 0
    const { registry } = world.serv
    this.kind = registry.mobs[registry.entitiesByName.cow.id]
  }

  /** Spawn all cows. */
  spawnHerd () {
    for (let each = 0; each < COW_COUNT; each++) this.spawnCow()
  }

  spawnCow () {
    this.number += 1
    const middle = (this.number % 4) * (COW_DISTANCE / 2) - COW_DISTANCE
    const { x, z } = this.world.terrain.findStandingPosition(middle, COW_DISTANCE - middle, this.number)
    const cow = this.world.serv.spawnMob(this.kind.id, this.world.serv.overworld, new Vec3(x + 0.5, FEET, z + 0.5))
    cow.health = this.world.rules.table.species.cow.health
    cow.gravity = undefined
  }

  /** Give the drops of a defeated creature to an agent, limited by its room, and spawn a new creature. */
  defeated (cow, agent) {
    const { drops } = this.world.rules.table.species.cow
    for (const [thing, count] of Object.entries(drops)) {
      agent.inventory.put(thing, Math.min(count, agent.inventory.room(thing)))
    }
    this.world.serv.destroyEntity(cow)
    this.spawnCow()
  }
}

module.exports = { Creatures }
