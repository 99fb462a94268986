'use strict'

const { GROUND } = require('./terrain')

const HEIGHT = 256

/** Return the chunk generator of the server. It creates columns from the present terrain. */
module.exports = function generation ({ registry, terrain }) {
  const Chunk = require('prismarine-chunk')(registry)
  const { Vec3 } = require('vec3')
  const state = block => registry.blocksByName[block].defaultState

  const flat = new Chunk()
  for (let x = 0; x < 16; x++) {
    for (let z = 0; z < 16; z++) {
      for (let y = 0; y < HEIGHT; y++) {
        const at = new Vec3(x, y, z)
        if (y <= GROUND) flat.setBlockStateId(at, state(terrain.flat(y)))
        flat.setSkyLight(at, y < GROUND ? 0 : 15)
        flat.setBiome(at, registry.biomesByName.plains.id)
      }
    }
  }
  const bare = flat.toJson()

  return function column (chunkX, chunkZ) {
    const chunk = Chunk.fromJson(bare)
    for (const [x, y, z, block] of terrain.chunk(chunkX, chunkZ)) {
      chunk.setBlockStateId(new Vec3(x & 15, y, z & 15), state(block))
    }
    return chunk
  }
}
