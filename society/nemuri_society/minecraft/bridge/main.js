'use strict'

const fs = require('node:fs')
const http = require('node:http')
const { connect } = require('@nats-io/transport-node')
const { Bridge } = require('./bridge')
const { Schemas } = require('./schemas')

const LOOPBACK = '127.0.0.1'
const RECONNECT_DELAY = 5_000
/** Milliseconds for hosts to reconnect to the bus. Their clients try every second or two. */
const log = fields => process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`)

/** Read settings and state as written by `nemuri_society.minecraft.bridge_process`. */
function readSettings (file) {
  const settings = JSON.parse(fs.readFileSync(file, 'utf8'))
  const saved = fs.existsSync(settings.state) ? JSON.parse(fs.readFileSync(settings.state, 'utf8')) : null
  return { ...settings, saved }
}

/** Handle the messages of a subject in order. Errors are logged, and the next message is handled. */
async function handleMessages (subscription, what, schemas, perform) {
  for await (const message of subscription) {
    const { value, complaint } = schemas.read(what, message.data)
    if (complaint && !(what === 'acts' && value !== null && typeof value === 'object')) {
      log({ ignored: what, reason: complaint })
      continue
    }
    perform(value, message).catch(error => log({ doing: what, error: error.message }))
  }
}

async function answerJoining (bridge, schemas, joining, message) {
  const reply = await bridge.join(joining)
  const complaint = schemas.complaint('joined', reply)
  if (complaint) throw new Error(complaint)
  if (message.reply) message.respond(JSON.stringify(reply))
}

/** Write the state of the worlds atomically, readable by its owner only. */
async function saveState (bridge, file) {
  const text = JSON.stringify(await bridge.save())
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
  return text
}

/** Serve health and state of the bridge on the loopback address. */
function servePages (bridge, { http: port, state }) {
  const pages = {
    '/health': async () => JSON.stringify({ ready: true, ...bridge.health() }),
    '/state': () => saveState(bridge, state)
  }
  const server = http.createServer(async (request, response) => {
    const page = pages[request.url]
    try {
      response.writeHead(page ? 200 : 404, { 'content-type': 'application/json' }).end(page ? await page() : '')
    } catch (error) {
      response.destroy(error)
    }
  })
  server.listen(port, LOOPBACK)
}

/**
 * Stop sending percepts while the bus is away, and until the hosts have reconnected. Messages in between would be lost.
 */
async function watchConnection (bus, bridge) {
  let returning
  for await (const { type } of bus.status()) {
    if (type !== 'disconnect' && type !== 'reconnect') continue
    log({ bus: type })
    clearTimeout(returning)
    bridge.delivering = false
    if (type === 'reconnect') returning = setTimeout(() => { bridge.delivering = true }, RECONNECT_DELAY)
  }
}

async function main () {
  const settings = readSettings(process.argv[2])
  const bus = await connect({ ...settings.bus, name: 'minecraft', maxReconnectAttempts: -1, reconnectTimeWait: 200 })
  const schemas = new Schemas(settings.schemas)
  const { joining, leaving, acts, percepts } = settings.subjects
  const publish = (host, message) => bus.publish(`${percepts}${host}`, JSON.stringify(message))
  const bridge = new Bridge(settings, schemas, publish, log)
  const end = code => {
    bridge.end()
    process.exit(code)
  }
  await bridge.start(code => {
    log({ ended: 'a world', code })
    end(1)
  })
  bus.closed().then(() => end(1))
  watchConnection(bus, bridge)
  handleMessages(bus.subscribe(joining), 'joining', schemas, (value, message) => answerJoining(bridge, schemas, value, message))
  handleMessages(bus.subscribe(leaving), 'leaving', schemas, value => bridge.leave(value))
  handleMessages(bus.subscribe(acts), 'acts', schemas, value => bridge.act(value))
  await bus.flush()
  const failed = what => error => log({ doing: what, error: error.message })
  setInterval(() => bridge.perceive().catch(failed('perceive')), 1000 / settings.rate)
  servePages(bridge, settings)
  process.once('SIGTERM', async () => {
    await saveState(bridge, settings.state).catch(failed('save'))
    end(0)
  })
}

main().catch(error => {
  log({ failed: error.message })
  process.exit(1)
})
