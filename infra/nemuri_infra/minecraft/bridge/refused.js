'use strict'

/** An act cannot be done; the message says why in one line, and becomes the reason of its outcome. */
class Refused extends Error {}

/** Refuses unless the condition holds. */
function demand (condition, reason) {
  if (!condition) throw new Refused(reason)
}

module.exports = { Refused, demand }
