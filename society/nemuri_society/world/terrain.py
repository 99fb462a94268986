"""Terrain generation from a seed. Biomes are quantiles of smooth noise, so every world has some of each biome."""

from dataclasses import dataclass

import numpy as np

from nemuri_contracts.event import Identifier
from nemuri_society.world.column_types import BLOCK_NUMBER, Booleans, Bytes, Floats
from nemuri_society.world.world_settings import WorldSettings

BIOMES = ("plains", "forest", "mountains", "caves", "shore", "town")
"""Biomes. The index is the number of the biome."""
TOWN_RADIUS = 8
"""Radius of the clear area around a town's centre, in blocks."""
TUNNEL_RATIO = 5.0
"""Ratio of length to width of a tunnel."""


@dataclass(frozen=True, slots=True)
class Terrain:
    """The generated terrain, before agents changed any block."""

    blocks: Bytes
    """Number of the block at each [x, z]."""
    biomes: Bytes
    towns: dict[Identifier, tuple[int, int]]
    """Centre (x, z) of each town, by its name."""


def _noise(rng: np.random.Generator, size: int, across: float, along: float | None = None) -> Floats:
    """Return smooth noise, 0 to 1, by [x, z]. Its features are `across` blocks wide along x and `along` blocks along z.

    Without `along`, they are `across` blocks wide in both directions.
    """
    widths = (across, across if along is None else along)
    numbers = tuple(int(size / width) + 3 for width in widths)
    lattice = rng.random(numbers)
    coordinates = [np.arange(size) / width for width in widths]
    (x, dx), (z, dz) = ((coordinate.astype(np.intp), coordinate % 1.0) for coordinate in coordinates)
    dx, dz = (distance * distance * (3 - 2 * distance) for distance in (dx, dz))
    dx = dx[:, None]
    near = lattice[x][:, z] * (1 - dx) + lattice[x + 1][:, z] * dx
    far = lattice[x][:, z + 1] * (1 - dx) + lattice[x + 1][:, z + 1] * dx
    noise: Floats = near * (1 - dz) + far * dz
    return noise


def _quantiles(field: Floats) -> Floats:
    """Return the quantile of each value within the field, 0 to 1."""
    quantiles = np.empty(field.size)
    quantiles[np.argsort(field, axis=None, kind="stable")] = np.arange(field.size) / field.size
    return quantiles.reshape(field.shape)


def generate_terrain(settings: WorldSettings) -> Terrain:
    """Return the terrain of a seed: a fifth mountains with caves and ores, a tenth water, and woods and plains."""
    rng, size = np.random.default_rng([settings.seed, 1]), settings.size
    towns = _place_towns(settings, rng)
    clear = _cells_near_towns(towns, size, TOWN_RADIUS)
    height = _quantiles(_noise(rng, size, 24.0) + 0.3 * _noise(rng, size, 8.0) - 2.0 * clear)
    wet = _quantiles(_noise(rng, size, 20.0) - 2.0 * clear - 2.0 * (height > 0.8))
    woods = _quantiles(_noise(rng, size, 12.0))
    blocks = np.full((size, size), BLOCK_NUMBER["grass"], dtype=np.uint8)
    biomes = np.zeros((size, size), dtype=np.uint8)
    forest = woods > 0.6
    biomes[forest] = BIOMES.index("forest")
    blocks[(rng.random((size, size)) < np.where(forest, 0.2, 0.01)) & ~clear] = BLOCK_NUMBER["tree"]
    shore = wet > 0.86
    biomes[shore] = BIOMES.index("shore")
    blocks[shore], blocks[wet > 0.9] = BLOCK_NUMBER["sand"], BLOCK_NUMBER["water"]
    _add_mountains(rng, height, blocks, biomes)
    biomes[clear] = BIOMES.index("town")
    return Terrain(blocks, biomes, towns)


def _add_mountains(rng: np.random.Generator, height: Floats, blocks: Bytes, biomes: Bytes) -> None:
    """Add mountains with tunnels, caves and ores to the high areas of `blocks` and `biomes`."""
    size, draws = height.shape[0], rng.random(height.shape)
    is_high = height > 0.8
    blocks[is_high], biomes[is_high] = BLOCK_NUMBER["stone"], BIOMES.index("mountains")
    tunnels = (_quantiles(_noise(rng, size, 3.0, 3.0 * TUNNEL_RATIO)) > 0.92) | (
        _quantiles(_noise(rng, size, 3.0 * TUNNEL_RATIO, 3.0)) > 0.92
    )
    dark: Booleans = is_high & (tunnels | ((_quantiles(_noise(rng, size, 7.0)) > 0.8) & (height > 0.86)))
    coal, iron = _quantiles(_noise(rng, size, 8.0)), _quantiles(_noise(rng, size, 6.0))
    blocks[is_high & (coal > 0.5) & (draws > 0.85)] = BLOCK_NUMBER["coal"]
    blocks[is_high & (iron > 0.6) & (draws < 0.2)] = BLOCK_NUMBER["iron"]
    blocks[(height > 0.94) & (_quantiles(_noise(rng, size, 5.0)) > 0.75)] = BLOCK_NUMBER["lava"]
    blocks[dark], biomes[dark] = BLOCK_NUMBER["path"], BIOMES.index("caves")
    deep = np.flatnonzero((height > 0.84) & ~dark)
    cells = rng.choice(deep, size=min(deep.size, max(6, size * size // 4_000)), replace=False)
    blocks.reshape(-1)[cells] = BLOCK_NUMBER["diamond"]


def _place_towns(settings: WorldSettings, rng: np.random.Generator) -> dict[Identifier, tuple[int, int]]:
    """Return the centre of each town. The map is divided into a square grid, and each town is near the middle of one of
    its fields.

    A single town is near the centre of the map. Named places are towns at the positions of the settings.
    """
    per_side = int(np.ceil(np.sqrt(max(len(settings.towns), 1))))
    field, centres = settings.size / per_side, dict[Identifier, tuple[int, int]]()
    for number, name in enumerate(settings.towns):
        offsets = rng.uniform(-0.15, 0.15, size=2) * field
        x, z = (
            int((index + 0.5) * field + offset) for index, offset in zip(divmod(number, per_side), offsets, strict=True)
        )
        centres[name] = (x, z)
    return centres | settings.sites


def _cells_near_towns(towns: dict[Identifier, tuple[int, int]], size: int, radius: int) -> Booleans:
    """Return the mask of the cells within `radius` blocks of a town's centre."""
    axis, near = np.arange(size), np.zeros((size, size), dtype=np.bool_)
    for x, z in towns.values():
        near |= (axis[:, None] - x) ** 2 + (axis[None, :] - z) ** 2 <= radius**2
    return near
