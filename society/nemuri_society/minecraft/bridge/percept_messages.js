'use strict'

const MAX_BYTES = 900_000
/** Bytes of one message, at most. The limit of the NATS server is 1,048,576. */
const MAX_EVENTS = 200
/** Events of each sort in one percept, at most. Further events follow in the next one. */

const bytes = value => Buffer.byteLength(JSON.stringify(value))

/** Remove and return the first events of each list, so that a percept with them fits into a message. */
function takeEvents (lists, limit = MAX_EVENTS) {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.splice(0, limit)]))
}

/**
 * Split the percepts of a host into messages within the size limit.
 * @param {number} second of the world's clock
 * @param {Object<string, object>} percepts by agent; each one fits into a message
 */
function * splitPercepts (second, percepts, { limit = MAX_BYTES, most = 4000 } = {}) {
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

module.exports = { splitPercepts, takeEvents }
