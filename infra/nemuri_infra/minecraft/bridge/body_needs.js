'use strict'

/** Advance the needs of an agent: hunger grows, health rises with food and falls without food. */
function updateNeeds (agent, seconds) {
  const table = agent.world.rules.table
  const { hunger_seconds: hungerSeconds, healing_seconds: healingSeconds, max_points: most } = table
  const { player } = agent
  agent.hungerTimer += seconds
  if (agent.hungerTimer >= hungerSeconds) {
    agent.hungerTimer -= hungerSeconds
    player.updateFood(Math.max(0, player.food - 1))
  }
  const resting = player.food > 0 && agent.actRunner.activity === 'resting'
  agent.healing += seconds * (resting ? table.rest_healing_factor : 1)
  if (agent.healing < healingSeconds || player.health <= 0) return
  agent.healing -= healingSeconds
  const health = Math.max(0, Math.min(most, player.health + (player.food > 0 ? 1 : -1)))
  if (health !== player.health) player.updateHealth(health)
}

module.exports = { updateNeeds }
