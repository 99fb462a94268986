'use strict'

const { fork } = require('node:child_process')
const path = require('node:path')

/** A world in another process, as the bridge sees it. */
class Distant {
  /** `ended(code)` is called if the process ends by itself. */
  constructor (ended) {
    this.child = fork(path.join(__dirname, 'process.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.asked = new Map()
    this.number = 0
    this.agents = new Set()
    this.busy = false
    this.child.on('message', message => this.answered(message))
    this.child.once('exit', code => {
      this.asked.forEach(({ reject }) => reject(new Error('the world ended')))
      ended(code)
    })
  }

  /** Ask the world for something; resolves with its answer. */
  ask (what, rest = {}) {
    return new Promise((resolve, reject) => {
      this.number += 1
      this.asked.set(this.number, { resolve, reject })
      this.child.send({ number: this.number, what, ...rest })
    })
  }

  answered ({ number, answer, failed }) {
    const { resolve, reject } = this.asked.get(number)
    this.asked.delete(number)
    if (failed === undefined) resolve(answer)
    else reject(new Error(failed))
  }

  /** End it. */
  end () {
    this.child.removeAllListeners('exit')
    this.child.kill('SIGKILL')
  }
}

module.exports = { Distant }
