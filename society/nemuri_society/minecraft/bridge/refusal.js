'use strict'

/** An act cannot be done. The one-line message becomes the reason of its outcome. */
class Refused extends Error {}

/** Throw `Refused` with a reason unless the condition holds. */
function demand (condition, reason) {
  if (!condition) throw new Refused(reason)
}

module.exports = { Refused, demand }
