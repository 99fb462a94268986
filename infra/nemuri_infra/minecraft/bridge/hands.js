'use strict'

const { Refused } = require('./refused')

const REASON_LIMIT = 200
const REMEMBERED = 512

/** The outcome of an act, as the contract has it. */
function outcome (id, reason = '') {
  return { act_id: id, done: reason === '', reason: [...reason].slice(0, REASON_LIMIT).join('') }
}

/**
 * What one agent does: one thing at a time, and another act ends the one before it.
 *
 * Every act is told of exactly once, whatever comes of it; an act whose id was heard before is none.
 */
class Hands {
  /** `tell` takes outcomes; `fault` takes errors that are none of the agent's doing. */
  constructor (tell, fault) {
    this.tell = tell
    this.fault = fault
    this.heard = new Set()
    this.current = null
    this.unwound = Promise.resolve()
  }

  /** What the agent is seen doing. */
  get activity () {
    return this.current?.name ?? 'idle'
  }

  /** Whether an act is a new one; remembers it. */
  fresh (id) {
    if (this.heard.has(id)) return false
    this.heard.add(id)
    if (this.heard.size > REMEMBERED) this.heard.delete(this.heard.values().next().value)
    return true
  }

  /** Do something that the hands are not needed for; `perform` ends or throws at once. */
  aside (id, perform) {
    try {
      perform()
      this.tell(outcome(id))
    } catch (error) {
      this.tell(outcome(id, this.reason(error)))
    }
  }

  /** Begin an act by the name of it; `perform(signal)` resolves when it is done, and rejects soon after the signal. */
  begin (id, name, perform) {
    this.stop('replaced by another act')
    const mine = { id, name, stopping: new AbortController() }
    this.current = mine
    this.unwound = this.unwound.then(() => this.run(mine, perform))
    return this.unwound
  }

  /** End what is being done, with this reason; fine if nothing is. */
  stop (reason) {
    const mine = this.current
    if (!mine) return
    this.current = null
    this.tell(outcome(mine.id, reason))
    mine.stopping.abort(new Refused(reason))
  }

  async run (mine, perform) {
    let reason = ''
    try {
      mine.stopping.signal.throwIfAborted()
      await perform(mine.stopping.signal)
    } catch (error) {
      reason = this.reason(error)
    }
    if (this.current !== mine) return
    this.current = null
    this.tell(outcome(mine.id, reason))
  }

  reason (error) {
    if (error instanceof Refused) return error.message
    this.fault(error)
    return `the world failed: ${String(error?.message ?? error).split('\n')[0]}`
  }
}

module.exports = { Hands, outcome }
