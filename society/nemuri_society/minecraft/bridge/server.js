'use strict'

const path = require('node:path')
const { createMCServer } = require('flying-squid')
const { once } = require('node:events')

const VERSION = '1.16.5'
const HOST = '127.0.0.1'
const VIEW_CHUNKS = 3
/** Chunks sent to a client in each direction: 48 blocks, more than every radius of perception. */
const KEEP_ALIVE_TIMEOUT = 120_000
/** Milliseconds without a keep-alive after which a client is disconnected. It is asked ten times in this period. */
const MAX_ENTITIES = 2_000

/**
 * Start a server on a free port of the loopback address that admits only the names in `expected`, with the columns of
 * the terrain.
 *
 * `make(serv)` is called before any player can log in.
 */
async function start (terrain, expected, most, make) {
  const serv = createMCServer({
    host: HOST,
    port: 0,
    version: VERSION,
    motd: 'Nemuri',
    'max-players': most,
    'max-entities': MAX_ENTITIES,
    'online-mode': false,
    'everybody-op': false,
    'view-distance': VIEW_CHUNKS,
    'player-list-text': { header: { text: '' }, footer: { text: '' } },
    logging: false,
    noConsoleOutput: true,
    debug: () => {}, // without it the server would take errors of this process for its own, and end it
    gameMode: 0,
    difficulty: 1,
    kickTimeout: KEEP_ALIVE_TIMEOUT,
    checkTimeoutInterval: KEEP_ALIVE_TIMEOUT / 10,
    generation: { name: path.join(__dirname, 'chunk_generation.js'), options: { seed: 1 + terrain.seed % 2 ** 31, terrain } },
    plugins: {},
    modpe: false,
    beforeLogin: client => expected.has(client.username) || client.end('this world is for its agents')
  })
  await once(serv, 'ready')
  make(serv)
  return serv
}

module.exports = { HOST, KEEP_ALIVE_TIMEOUT, VERSION, start }
