'use strict'

const { createHash } = require('node:crypto')

const PLAIN = /^[A-Za-z0-9_]{3,15}$/

/** The name of an agent's player, the same every time: its id where the server takes that, else one made from it. */
function username (id) {
  if (PLAIN.test(id)) return id
  return `_${createHash('sha256').update(id).digest('base64url').replace(/-/g, '_').slice(0, 15)}`
}

module.exports = { username }
