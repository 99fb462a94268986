'use strict'

/** The plants of a world, and when they bear fruit. */
class Plants {
  /** `kept` is what `save` told. */
  constructor (world, kept = {}) {
    this.world = world
    this.ripening = new Map(Object.entries(kept))
  }

  save () {
    return Object.fromEntries(this.ripening)
  }

  planted ({ x, y, z }) {
    this.ripening.set(`${x},${y},${z}`, this.world.second + this.world.rules.table.growing)
  }

  /** Let those bear fruit whose time has come. */
  grow () {
    const { rules, terrain } = this.world
    for (const [place, second] of this.ripening) {
      if (second > this.world.second) continue
      this.ripening.delete(place)
      const [x, y, z] = place.split(',').map(Number)
      if (rules.sort(terrain.at(x, y, z)) === 'plant') this.world.plugin.put({ x, y, z }, rules.block('ripe_plant'))
    }
  }
}

/** Let some seconds pass for the body of an agent: it grows hungry, mends while fed, and wastes when it is not. */
function live (agent, seconds) {
  const { hunger_seconds: hunger, mending_seconds: mending, rested, most } = agent.world.rules.table
  const { player } = agent
  agent.appetite += seconds
  if (agent.appetite >= hunger) {
    agent.appetite -= hunger
    player.updateFood(Math.max(0, player.food - 1))
  }
  agent.mending += seconds * (player.food > 0 && agent.hands.activity === 'resting' ? rested : 1)
  if (agent.mending < mending || player.health <= 0) return
  agent.mending -= mending
  const health = Math.max(0, Math.min(most, player.health + (player.food > 0 ? 1 : -1)))
  if (health !== player.health) player.updateHealth(health)
}

module.exports = { Plants, live }
