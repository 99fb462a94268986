'use strict'

const { goals } = require('mineflayer-pathfinder')
const { demand } = require('./refusal')

const SEGMENT_BLOCKS = 14
/** Blocks of one path search. Longer searches would block the server. */
const NEAR = 3
/** Blocks from the goal at which it is reached: one less than the reach of an agent. */
const STALL_TIMEOUT = 4_000
/** Milliseconds in which a walking agent must have moved. */
const DETOURS = [0, 0.6, -0.6, 1.2, -1.2, 2, -2]
/** Radians by which a segment turns aside after failed segments. */

/**
 * Walk until a position is within reach. Throw `Refused` if there is no path, and the signal's reason soon after the
 * signal.
 */
async function walk (agent, to, signal) {
  let failed = 0
  while (agent.distanceTo(to) > NEAR) {
    const before = agent.distanceTo(to)
    const arrived = await walkSegment(agent, goal(agent.position, to, DETOURS[failed]), signal)
    const closer = before - agent.distanceTo(to) >= 1
    failed = closer ? 0 : failed + 1
    demand(failed < DETOURS.length && (arrived || closer || far(agent.position, to)), 'found no path')
  }
}

function far (from, to) {
  return Math.hypot(to.x - from.x, to.z - from.z) > SEGMENT_BLOCKS
}

function goal (from, to, detour) {
  if (!far(from, to)) return new goals.GoalNear(to.x, to.y, to.z, NEAR)
  const direction = Math.atan2(to.z - from.z, to.x - from.x) + detour
  const x = Math.round(from.x + SEGMENT_BLOCKS * Math.cos(direction))
  return new goals.GoalNearXZ(x, Math.round(from.z + SEGMENT_BLOCKS * Math.sin(direction)), 2)
}

/**
 * Return a function that halts the segment if the agent has not moved since its last call. The pathfinder sometimes
 * does not start.
 */
function stallCheck (agent, halt) {
  let seen = agent.position
  return () => {
    const { position } = agent
    if (position.x === seen.x && position.y === seen.y && position.z === seen.z) halt()
    seen = position
  }
}

/** Walk one segment. Return whether its goal was reached. */
async function walkSegment (agent, where, signal) {
  signal.throwIfAborted()
  const { bot } = agent
  const halt = () => bot.pathfinder.setGoal(null)
  const watch = setInterval(stallCheck(agent, halt), STALL_TIMEOUT)
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

module.exports = { walk }
