'use strict'

/** Return a deterministic generator of numbers in [0, 1) for these seeds (mulberry32 over mixed seeds). */
function randomNumbers (...seeds) {
  let state = seeds.reduce((mixed, each) => Math.imul(mixed ^ (each | 0), 0x9e3779b1) + 0x7f4a7c15 | 0, 0x2545f491)
  return () => {
    state = state + 0x6d2b79f5 | 0
    let mixed = Math.imul(state ^ state >>> 15, 1 | state)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) / 4294967296
  }
}

module.exports = { randomNumbers }
