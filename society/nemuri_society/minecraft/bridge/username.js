'use strict'

const { createHash } = require('node:crypto')

const PLAIN = /^[A-Za-z0-9_]{3,15}$/

/** Return the player name of an agent, always the same: its id if the server accepts it, else a hash of it. */
function username (id) {
  if (PLAIN.test(id)) return id
  return `_${createHash('sha256').update(id).digest('base64url').replace(/-/g, '_').slice(0, 15)}`
}

module.exports = { username }
