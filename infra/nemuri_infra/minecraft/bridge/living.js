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
    this.ripening.set(`${x},${y},${z}`, this.world.second + this.world.rules.table.ripening_seconds)
  }

  /** Let those bear fruit whose time has come. */
  grow () {
    const { rules, terrain } = this.world
    for (const [place, second] of this.ripening) {
      if (second > this.world.second) continue
      this.ripening.delete(place)
      const [x, y, z] = place.split(',').map(Number)
      if (rules.kind(terrain.at(x, y, z)) === 'plant') this.world.plugin.put({ x, y, z }, rules.block('ripe_plant'))
    }
  }
}

/** Let some seconds pass for the body of an agent: it grows hungry, mends while fed, and wastes when it is not. */
function live (agent, seconds) {
  const table = agent.world.rules.table
  const { hunger_seconds: hungerSeconds, healing_seconds: healingSeconds, max_points: most } = table
  const { player } = agent
  agent.hungerTimer += seconds
  if (agent.hungerTimer >= hungerSeconds) {
    agent.hungerTimer -= hungerSeconds
    player.updateFood(Math.max(0, player.food - 1))
  }
  const resting = player.food > 0 && agent.hands.activity === 'resting'
  agent.healing += seconds * (resting ? table.rest_healing_factor : 1)
  if (agent.healing < healingSeconds || player.health <= 0) return
  agent.healing -= healingSeconds
  const health = Math.max(0, Math.min(most, player.health + (player.food > 0 ? 1 : -1)))
  if (health !== player.health) player.updateHealth(health)
}

module.exports = { Plants, live }
