'use strict'

const { Refused } = require('./refusal')

const REASON_LIMIT = 200
const MAX_REMEMBERED_IDS = 512

/** Return the outcome of an act in the form of the contract. An empty reason is success. */
function outcome (id, reason = '') {
  return { act_id: id, done: reason === '', reason: [...reason].slice(0, REASON_LIMIT).join('') }
}

/**
 * The acts of one agent. A new act ends the current one.
 *
 * Each act has exactly one outcome. An act with a known id is ignored.
 */
class ActRunner {
  /** `report` receives outcomes. `logFault` receives errors that the agent did not cause. */
  constructor (report, logFault) {
    this.report = report
    this.logFault = logFault
    this.knownIds = new Set()
    this.current = null
    this.finished = Promise.resolve()
  }

  /** The activity that other agents see. */
  get activity () {
    return this.current?.name ?? 'idle'
  }

  /** Return whether an act id is new, and remember it. */
  isNew (id) {
    if (this.knownIds.has(id)) return false
    this.knownIds.add(id)
    if (this.knownIds.size > MAX_REMEMBERED_IDS) this.knownIds.delete(this.knownIds.values().next().value)
    return true
  }

  /** Run an act that does not interrupt the current one. `perform` returns or throws at once. */
  runAtOnce (id, perform) {
    try {
      perform()
      this.report(outcome(id))
    } catch (error) {
      this.report(outcome(id, this.reasonOf(error)))
    }
  }

  /** Begin an act. `perform(signal)` resolves when it is done, and rejects soon after the signal. */
  begin (id, name, perform) {
    this.stop('replaced by another act')
    const act = { id, name, stopping: new AbortController() }
    this.current = act
    this.finished = this.finished.then(() => this.run(act, perform))
    return this.finished
  }

  /** End the current act with a reason. Does nothing without a current act. */
  stop (reason) {
    const act = this.current
    if (!act) return
    this.current = null
    this.report(outcome(act.id, reason))
    act.stopping.abort(new Refused(reason))
  }

  async run (act, perform) {
    let reason = ''
    try {
      act.stopping.signal.throwIfAborted()
      await perform(act.stopping.signal)
    } catch (error) {
      reason = this.reasonOf(error)
    }
    if (this.current !== act) return
    this.current = null
    this.report(outcome(act.id, reason))
  }

  reasonOf (error) {
    if (error instanceof Refused) return error.message
    this.logFault(error)
    return `the world failed: ${String(error?.message ?? error).split('\n')[0]}`
  }
}

module.exports = { ActRunner, outcome }
