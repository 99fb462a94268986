'use strict'

const { Vec3 } = require('vec3')
const { FEET } = require('./terrain')

const HERD = 8
const MEADOW = 48
/** How many cows there are, and how far from the middle of the world they stand, in blocks. */

/** The creatures of a world: cows, who stand where they are put, and another comes when one is gone. */
class Creatures {
  constructor (world) {
    this.world = world
    this.number = 0
    const { registry } = world.serv
    this.kind = registry.mobs[registry.entitiesByName.cow.id]
  }

  /** Let the herd be there. */
  begin () {
    for (let each = 0; each < HERD; each++) this.come()
  }

  come () {
    this.number += 1
    const middle = (this.number % 4) * (MEADOW / 2) - MEADOW
    const { x, z } = this.world.terrain.standing(middle, MEADOW - middle, this.number)
    const cow = this.world.serv.spawnMob(this.kind.id, this.world.serv.overworld, new Vec3(x + 0.5, FEET, z + 0.5))
    cow.health = this.world.rules.table.species.cow.health
    cow.gravity = undefined
  }

  /** Whoever defeated a creature gets what it leaves, as far as there is room for it. */
  defeated (cow, agent) {
    const { drops } = this.world.rules.table.species.cow
    for (const [thing, count] of Object.entries(drops)) {
      agent.inventory.put(thing, Math.min(count, agent.inventory.room(thing)))
    }
    this.world.serv.destroyEntity(cow)
    this.come()
  }
}

module.exports = { Creatures }
