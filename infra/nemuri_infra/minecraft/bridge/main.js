'use strict'

const fs = require('node:fs')
const http = require('node:http')
const { connect } = require('@nats-io/transport-node')
const { Bridge } = require('./bridge')
const { Schemas } = require('./schemas')

const LOOPBACK = '127.0.0.1'
const RETURN = 5_000
/** Milliseconds for hosts to find a bus again that was away: their clients look for it every second or two. */
const log = fields => process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`)

/** Settings and state as `nemuri_infra.minecraft.bridge_process` writes them. */
function read (file) {
  const settings = JSON.parse(fs.readFileSync(file, 'utf8'))
  const kept = fs.existsSync(settings.state) ? JSON.parse(fs.readFileSync(settings.state, 'utf8')) : null
  return { ...settings, kept }
}

/** Do something with every message of a subject, in their order; what fails is logged, and the next one is taken. */
async function serve (subscription, what, schemas, perform) {
  for await (const message of subscription) {
    const { value, complaint } = schemas.read(what, message.data)
    if (complaint && !(what === 'acts' && value !== null && typeof value === 'object')) {
      log({ ignored: what, reason: complaint })
      continue
    }
    perform(value, message).catch(error => log({ doing: what, error: error.message }))
  }
}

async function answer (bridge, schemas, joining, message) {
  const reply = await bridge.join(joining)
  const complaint = schemas.complaint('joined', reply)
  if (complaint) throw new Error(complaint)
  if (message.reply) message.respond(JSON.stringify(reply))
}

/** Write the worlds' state in one step, readable by its owner alone. */
async function keep (bridge, file) {
  const text = JSON.stringify(await bridge.save())
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
  return text
}

/** Tells of the bridge's health, and of its worlds' state, to whoever asks on the loopback. */
function tell (bridge, { http: port, state }) {
  const pages = {
    '/health': async () => JSON.stringify({ ready: true, servers: bridge.health() }),
    '/state': () => keep(bridge, state)
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

/** Have nothing told while the bus is away, nor before hosts are back on it: nobody keeps it for them. */
async function mind (bus, bridge) {
  let returning
  for await (const { type } of bus.status()) {
    if (type !== 'disconnect' && type !== 'reconnect') continue
    log({ bus: type })
    clearTimeout(returning)
    bridge.heard = false
    if (type === 'reconnect') returning = setTimeout(() => { bridge.heard = true }, RETURN)
  }
}

async function main () {
  const settings = read(process.argv[2])
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
  mind(bus, bridge)
  serve(bus.subscribe(joining), 'joining', schemas, (value, message) => answer(bridge, schemas, value, message))
  serve(bus.subscribe(leaving), 'leaving', schemas, value => bridge.leave(value))
  serve(bus.subscribe(acts), 'acts', schemas, value => bridge.act(value))
  await bus.flush()
  const failed = what => error => log({ doing: what, error: error.message })
  setInterval(() => bridge.perceive().catch(failed('perceive')), 1000 / settings.rate)
  setInterval(() => keep(bridge, settings.state).catch(failed('save')), settings.save_interval * 1000)
  tell(bridge, settings)
  process.once('SIGTERM', async () => {
    await keep(bridge, settings.state).catch(failed('save'))
    end(0)
  })
}

main().catch(error => {
  log({ failed: error.message })
  process.exit(1)
})
