'use strict'

/** The plants of a world, with the seconds at which they ripen. */
class Plants {
  /** `kept` is the result of `save`. */
  constructor (world, kept = {}) {
    this.world = world
    this.ripening = new Map(Object.entries(kept))
  }

  save () {
    return Object.fromEntries(this.ripening)
  }

  planted ({ x, y, z }) {
    this.ripening.set(`${x},${y},${z}`, this.world.second + this.world.rules.table.ripening_seconds)
  }

  /** Ripen the plants that are due. */
  grow () {
    const { rules, terrain } = this.world
    for (const [place, second] of this.ripening) {
      if (second > this.world.second) continue
      this.ripening.delete(place)
      const [x, y, z] = place.split(',').map(Number)
      if (rules.kindOf(terrain.at(x, y, z)) !== 'plant') continue
      this.world.plugin.setBlock({ x, y, z }, rules.serverBlock('ripe_plant'))
    }
  }
}

module.exports = { Plants }
