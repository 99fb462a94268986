'use strict'

const { fork } = require('node:child_process')
const path = require('node:path')

/** The bridge's connection to a world in another process. */
class WorldClient {
  /** `ended(code)` is called if the process ends by itself. */
  constructor (ended) {
    this.child = fork(path.join(__dirname, 'world_process.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.pending = new Map()
    this.number = 0
    this.agents = new Set()
    this.busy = false
    this.child.on('message', message => this.onAnswer(message))
    this.child.once('exit', code => {
      this.pending.forEach(({ reject }) => reject(new Error('the world ended')))
      ended(code)
    })
  }

  /** Send a request to the world. Resolve with its answer. */
  request (what, rest = {}) {
    return new Promise((resolve, reject) => {
      this.number += 1
      this.pending.set(this.number, { resolve, reject })
      this.child.send({ number: this.number, what, ...rest })
    })
  }

  onAnswer ({ number, answer, failed }) {
    const { resolve, reject } = this.pending.get(number)
    this.pending.delete(number)
    if (failed === undefined) resolve(answer)
    else reject(new Error(failed))
  }

  /** Kill the process. */
  end () {
    this.child.removeAllListeners('exit')
    this.child.kill('SIGKILL')
  }
}

module.exports = { WorldClient }
