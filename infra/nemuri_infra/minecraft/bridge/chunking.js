'use strict'

const BYTES = 900_000
/** Bytes of one message, of the 1,048,576 that a server of the bus takes. */
const AT_ONCE = 200
/** What happens once, in one percept: the rest is told in the next. */

const bytes = value => Buffer.byteLength(JSON.stringify(value))

/** Take what happened once out of its lists, at most so much of each that a percept of it fits into a message. */
function portion (lists, limit = AT_ONCE) {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.splice(0, limit)]))
}

/**
 * The percepts of a host in messages that each fit on the bus.
 *
 * @param {number} second of the world's clock
 * @param {Object<string, object>} percepts by agent; each alone is smaller than a message
 */
function * messages (second, percepts, { limit = BYTES, most = 4000 } = {}) {
  const empty = bytes({ second, percepts: {} })
  let batch = {}
  let size = empty
  let count = 0
  for (const [agent, percept] of Object.entries(percepts)) {
    const more = bytes(percept) + bytes(agent) + 2
    if (count > 0 && (size + more > limit || count >= most)) {
      yield { second, percepts: batch }
      batch = {}
      size = empty
      count = 0
    }
    batch[agent] = percept
    size += more
    count += 1
  }
  if (count > 0) yield { second, percepts: batch }
}

module.exports = { AT_ONCE, BYTES, messages, portion }
