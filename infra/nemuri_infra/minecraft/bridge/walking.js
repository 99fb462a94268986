'use strict'

const { goals } = require('mineflayer-pathfinder')
const { demand } = require('./refused')

const HOP = 14
/** Blocks of a path that is looked for at once: longer ones take a server's worth of thinking. */
const NEAR = 3
/** Blocks from the goal at which it is reached: one less than what hands reach. */
const STALLED = 4_000
/** Milliseconds in which somebody who walks comes to another place. */
const DETOURS = [0, 0.6, -0.6, 1.2, -1.2, 2, -2]
/** Radians by which a hop turns aside when those before it led nowhere. */

/** Walk until a place is within reach; refuses where no way leads. Throws the signal's reason soon after it. */
async function walk (agent, to, signal) {
  let failed = 0
  while (agent.distance(to) > NEAR) {
    const before = agent.distance(to)
    const arrived = await hop(agent, goal(agent.place, to, DETOURS[failed]), signal)
    const closer = before - agent.distance(to) >= 1
    failed = closer ? 0 : failed + 1
    demand(failed < DETOURS.length && (arrived || closer || far(agent.place, to)), 'found no path')
  }
}

function far (from, to) {
  return Math.hypot(to.x - from.x, to.z - from.z) > HOP
}

function goal (from, to, detour) {
  if (!far(from, to)) return new goals.GoalNear(to.x, to.y, to.z, NEAR)
  const direction = Math.atan2(to.z - from.z, to.x - from.x) + detour
  const x = Math.round(from.x + HOP * Math.cos(direction))
  return new goals.GoalNearXZ(x, Math.round(from.z + HOP * Math.sin(direction)), 2)
}

/** What ends a hop if nothing came of it since it was asked last: the finder of paths sometimes forgets to set out. */
function stalled (agent, halt) {
  let seen = agent.place
  return () => {
    const { place } = agent
    if (place.x === seen.x && place.y === seen.y && place.z === seen.z) halt()
    seen = place
  }
}

/** Whether the goal was reached. */
async function hop (agent, where, signal) {
  signal.throwIfAborted()
  const { bot } = agent
  const halt = () => bot.pathfinder.setGoal(null)
  const watch = setInterval(stalled(agent, halt), STALLED)
  signal.addEventListener('abort', halt, { once: true })
  try {
    await bot.pathfinder.goto(where)
    return true
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!['NoPath', 'Timeout', 'PathStopped', 'GoalChanged'].includes(error.name)) throw error
    return false
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', halt)
  }
}

module.exports = { HOP, NEAR, walk }
