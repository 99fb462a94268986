'use strict'

const { randomNumbers } = require('./random')

const CHUNK = 16
const GROUND = 3
/** Height of the grass. Feet are one block higher. */
const FEET = GROUND + 1
const TREES_PER_CHUNK = 3
const TRUNK_HEIGHT = 3
const ORES = [['diamond_ore', 0.06], ['iron_ore', 0.24], ['coal_ore', 0.5]]

const key = (x, y, z) => `${x},${y},${z}`
const chunkOf = (x, z) => `${x >> 4},${z >> 4}`

/**
 * The blocks of a flat world with trees, ponds and ores in boulders: generated from the seed, with all changes.
 *
 * It is the only source of truth: the server's columns are generated from it, also again after they were unloaded.
 */
class Terrain {
  /** `changes` are blocks by position, `x,y,z`, as returned by `save`. */
  constructor (seed, changes = {}) {
    this.seed = seed
    this.features = new Map()
    this.changes = new Map()
    for (const [place, block] of Object.entries(changes)) this.put(...place.split(',').map(Number), block)
  }

  /** Return all changes since the beginning. */
  save () {
    return Object.fromEntries([...this.changes.values()].flatMap(chunk => [...chunk]))
  }

  /** Return the block at a position. */
  at (x, y, z) {
    const place = key(x, y, z)
    return this.changes.get(chunkOf(x, z))?.get(place) ?? this.featuresOf(x >> 4, z >> 4).get(place) ?? layer(y)
  }

  /** Set the block at a position. */
  put (x, y, z, block) {
    const chunk = chunkOf(x, z)
    if (!this.changes.has(chunk)) this.changes.set(chunk, new Map())
    this.changes.get(chunk).set(key(x, y, z), block)
  }

  /** Return the block at a height of the bare ground. */
  flat (y) {
    return layer(y)
  }

  /** Yield the blocks of a chunk that differ from bare flat ground, as [x, y, z, block]. */
  * chunk (chunkX, chunkZ) {
    const changes = this.changes.get(`${chunkX},${chunkZ}`) ?? new Map()
    for (const [place, block] of this.featuresOf(chunkX, chunkZ)) {
      if (!changes.has(place)) yield [...place.split(',').map(Number), block]
    }
    for (const [place, block] of changes) yield [...place.split(',').map(Number), block]
  }

  /** Return the blocks within a radius for which `wanted(block)` is truthy, nearest first. */
  nearestBlocks (at, radius, wanted) {
    const found = []
    const low = { x: at.x - radius >> 4, z: at.z - radius >> 4 }
    const high = { x: at.x + radius >> 4, z: at.z + radius >> 4 }
    for (let x = low.x; x <= high.x; x++) {
      for (let z = low.z; z <= high.z; z++) this.collect(found, at, radius, wanted, this.chunk(x, z))
    }
    return found.sort((one, other) => one.distance - other.distance)
  }

  collect (found, at, radius, wanted, blocks) {
    for (const [x, y, z, block] of blocks) {
      const kind = wanted(block)
      const distance = Math.hypot(x - at.x, y - at.y, z - at.z)
      if (kind && distance <= radius) found.push({ block: kind, position: { x, y, z }, distance })
    }
  }

  /** Return whether a player can stand at a position. */
  canStand (x, y, z) {
    return this.at(x, y - 1, z) !== 'water' && !passable(this.at(x, y - 1, z)) &&
      passable(this.at(x, y, z)) && passable(this.at(x, y + 1, z))
  }

  /** Return a position near another one where a player can stand. Each number gets another position. */
  findStandingPosition (x, z, number) {
    const random = randomNumbers(this.seed, x, z, number)
    for (let spread = 8; ; spread += 1) {
      const aside = () => Math.floor((random() - 0.5) * spread)
      const place = { x: x + aside(), y: FEET, z: z + aside() }
      if (this.canStand(place.x, place.y, place.z)) return place
    }
  }

  featuresOf (chunkX, chunkZ) {
    const name = `${chunkX},${chunkZ}`
    if (!this.features.has(name)) this.features.set(name, generateFeatures(this.seed, chunkX, chunkZ))
    return this.features.get(name)
  }
}

function passable (block) {
  return block === 'air' || block === 'grass' || block === 'torch'
}

function layer (y) {
  if (y < 0 || y > GROUND) return 'air'
  return y === 0 ? 'bedrock' : y === GROUND ? 'grass_block' : 'dirt'
}

/**
 * Generate the features of a chunk. Two blocks at its border stay free, so that no feature reaches into the next chunk.
 */
function generateFeatures (seed, chunkX, chunkZ) {
  const random = randomNumbers(seed, chunkX, chunkZ)
  const blocks = new Map()
  const place = () => [2 + Math.floor(random() * (CHUNK - 5)), 2 + Math.floor(random() * (CHUNK - 5))]
  const put = (x, y, z, block) => blocks.set(key(chunkX * CHUNK + x, y, chunkZ * CHUNK + z), block)
  const [stoneX, stoneZ] = place()
  for (let each = 0; each < TREES_PER_CHUNK; each++) tree(put, ...place())
  for (let each = 0; each < 6; each++) put(...place().toSpliced(1, 0, FEET), 'grass')
  if (random() < 0.5) boulder(put, random, stoneX, stoneZ)
  else if (random() < 0.4) square((x, z) => pond(put, x, z), stoneX, stoneZ)
  return blocks
}

function square (each, x, z) {
  for (let dx = 0; dx < 3; dx++) for (let dz = 0; dz < 3; dz++) each(x + dx, z + dz)
}

function pond (put, x, z) {
  put(x, GROUND, z, 'water')
  for (let y = FEET; y < FEET + TRUNK_HEIGHT + 2; y++) put(x, y, z, 'air')
}

function tree (put, x, z) {
  for (let dx = -1; dx <= 1; dx++) {
    for (let dz = -1; dz <= 1; dz++) put(x + dx, FEET + TRUNK_HEIGHT, z + dz, 'oak_leaves')
  }
  for (let y = FEET; y < FEET + TRUNK_HEIGHT; y++) put(x, y, z, 'oak_log')
}

function boulder (put, random, x, z) {
  square((at, to) => {
    const drawn = random()
    put(at, FEET, to, ORES.find(([, limit]) => drawn < limit)?.[0] ?? 'stone')
  }, x, z)
}

module.exports = { FEET, GROUND, Terrain, passable }
