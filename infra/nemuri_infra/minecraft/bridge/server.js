'use strict'

const path = require('node:path')
const { createMCServer } = require('flying-squid')
const { once } = require('node:events')

const VERSION = '1.16.5'
const HOST = '127.0.0.1'
const VIEW = 3
/** Chunks that a client is told of in each direction: 48 blocks, beyond every radius of perception. */
const PATIENCE = 120_000
/** Milliseconds without a sign of life after which a client is given up; ten times in them it is asked for one. */
const ENTITIES = 2_000

/**
 * A server for the names in `expected` alone, on a free port of the loopback, with the columns of the terrain.
 *
 * `make(serv)` is called before anybody can come in.
 */
async function start (terrain, expected, most, make) {
  const serv = createMCServer({
    host: HOST,
    port: 0,
    version: VERSION,
    motd: 'Nemuri',
    'max-players': most,
    'max-entities': ENTITIES,
    'online-mode': false,
    'everybody-op': false,
    'view-distance': VIEW,
    'player-list-text': { header: { text: '' }, footer: { text: '' } },
    logging: false,
    noConsoleOutput: true,
    debug: () => {}, // without it the server would take errors of this process for its own, and end it
    gameMode: 0,
    difficulty: 1,
    kickTimeout: PATIENCE,
    checkTimeoutInterval: PATIENCE / 10,
    generation: { name: path.join(__dirname, 'generation.js'), options: { seed: 1 + terrain.seed % 2 ** 31, terrain } },
    plugins: {},
    modpe: false,
    beforeLogin: client => expected.has(client.username) || client.end('this world is for its agents')
  })
  await once(serv, 'ready')
  make(serv)
  return serv
}

module.exports = { HOST, PATIENCE, VERSION, start }
