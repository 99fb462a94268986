'use strict'

const { World } = require('./world')

/** The process of one world. It answers each request of the bridge with the request's number. */
const send = message => process.connected && process.send(message)
const log = fields => process.stderr.write(`${JSON.stringify(fields)}\n`)

let world

const HANDLERS = {
  start: async settings => {
    world = new World({ ...settings, log })
    await world.start()
    return { port: world.serv.listeningPort }
  },
  join: ({ agents }) => world.join(agents),
  leave: ({ agents }) => world.leave(agents),
  act: ({ host, acts }) => acts.map(each => world.act(host, each)).filter(complaint => complaint),
  refuse: ({ host, agent, act, reason }) => world.refuse(host, agent, act, reason),
  perceive: ({ second, delivering }) => {
    world.advance(second)
    return delivering ? world.perceive() : {}
  },
  save: () => world.save()
}

process.on('message', async ({ number, what, ...rest }) => {
  try {
    send({ number, answer: await HANDLERS[what](rest) })
  } catch (error) {
    log({ doing: what, error: error.message, stack: error.stack })
    send({ number, failed: error.message })
  }
})
process.on('unhandledRejection', error => log({ error: String(error?.message ?? error), stack: error?.stack }))
process.on('uncaughtException', error => {
  log({ failed: error.message, stack: error.stack })
  process.exit(1)
})
process.on('disconnect', () => process.exit(0))
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
