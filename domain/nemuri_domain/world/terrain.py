"""Terrain generation from a seed: smooth noise cut at quantiles, so that every world has some of each biome."""

from dataclasses import dataclass

import numpy as np

from nemuri_contracts.event import Identifier
from nemuri_domain.world.table_columns import BLOCK, Bytes, Reals, Truths
from nemuri_domain.world.world_settings import WorldSettings

BIOMES = ("plains", "forest", "mountains", "caves", "shore", "town")
"""Biomes by number."""
TOWN_RADIUS = 8
"""Radius of the clear area around a town's centre, in blocks."""
SAFE_RADIUS = 24
"""Radius around a town's centre in which no zombie spawns, in blocks."""
LONG = 5.0
"""Ratio of length to width of a tunnel."""


@dataclass(frozen=True, slots=True)
class Land:
    """The generated terrain before any change."""

    blocks: Bytes
    """Number of the block at each [x, z]."""
    biomes: Bytes
    dark: Truths
    """True in caves and tunnels, where skeletons live."""
    safe: Truths
    """True near towns, where no zombie spawns."""
    towns: dict[Identifier, tuple[int, int]]
    """Centre of each town."""


def _noise(rng: np.random.Generator, size: int, across: float, along: float | None = None) -> Reals:
    """Return smooth noise, 0 to 1, over [x, z] with features of these widths in blocks."""
    widths = (across, across if along is None else along)
    numbers = tuple(int(size / width) + 3 for width in widths)
    lattice = rng.random(numbers)
    places = [np.arange(size) / width for width in widths]
    (x, dx), (z, dz) = ((each.astype(np.intp), each % 1.0) for each in places)
    dx, dz = (each * each * (3 - 2 * each) for each in (dx, dz))
    dx = dx[:, None]
    near = lattice[x][:, z] * (1 - dx) + lattice[x + 1][:, z] * dx
    far = lattice[x][:, z + 1] * (1 - dx) + lattice[x + 1][:, z + 1] * dx
    whole: Reals = near * (1 - dz) + far * dz
    return whole


def _ranked(field: Reals) -> Reals:
    """Return the quantile of each value within the field, 0 to 1."""
    found = np.empty(field.size)
    found[np.argsort(field, axis=None, kind="stable")] = np.arange(field.size) / field.size
    return found.reshape(field.shape)


def land_of(settings: WorldSettings) -> Land:
    """Generate the terrain of a seed: a fifth mountains with caves and ores, a tenth water, woods and plains."""
    rng, size = np.random.default_rng([settings.seed, 1]), settings.size
    towns = _towns(settings, rng)
    clear = _near(towns, size, TOWN_RADIUS)
    height = _ranked(_noise(rng, size, 24.0) + 0.3 * _noise(rng, size, 8.0) - 2.0 * clear)
    wet = _ranked(_noise(rng, size, 20.0) - 2.0 * clear - 2.0 * (height > 0.8))
    woods = _ranked(_noise(rng, size, 12.0))
    blocks = np.full((size, size), BLOCK["grass"], dtype=np.uint8)
    biomes = np.zeros((size, size), dtype=np.uint8)
    forest = woods > 0.6
    biomes[forest] = BIOMES.index("forest")
    blocks[(rng.random((size, size)) < np.where(forest, 0.2, 0.01)) & ~clear] = BLOCK["tree"]
    shore = wet > 0.86
    biomes[shore] = BIOMES.index("shore")
    blocks[shore], blocks[wet > 0.9] = BLOCK["sand"], BLOCK["water"]
    dark = _mountains(rng, height, blocks, biomes)
    biomes[clear] = BIOMES.index("town")
    return Land(blocks, biomes, dark, _near(towns, size, SAFE_RADIUS), towns)


def _mountains(rng: np.random.Generator, height: Reals, blocks: Bytes, biomes: Bytes) -> Truths:
    """Add mountains with tunnels, caves and ores to high areas. Return the dark cells."""
    size, drawn = height.shape[0], rng.random(height.shape)
    high = height > 0.8
    blocks[high], biomes[high] = BLOCK["stone"], BIOMES.index("mountains")
    tunnels = (_ranked(_noise(rng, size, 3.0, 3.0 * LONG)) > 0.92) | (
        _ranked(_noise(rng, size, 3.0 * LONG, 3.0)) > 0.92
    )
    dark: Truths = high & (tunnels | ((_ranked(_noise(rng, size, 7.0)) > 0.8) & (height > 0.86)))
    coal, iron = _ranked(_noise(rng, size, 8.0)), _ranked(_noise(rng, size, 6.0))
    blocks[high & (coal > 0.5) & (drawn > 0.85)] = BLOCK["coal"]
    blocks[high & (iron > 0.6) & (drawn < 0.2)] = BLOCK["iron"]
    blocks[(height > 0.94) & (_ranked(_noise(rng, size, 5.0)) > 0.75)] = BLOCK["lava"]
    blocks[dark], biomes[dark] = BLOCK["path"], BIOMES.index("caves")
    deep = np.flatnonzero((height > 0.84) & ~dark)
    found = rng.choice(deep, size=min(deep.size, max(6, size * size // 4_000)), replace=False)
    blocks.reshape(-1)[found] = BLOCK["diamond"]
    return dark


def _towns(settings: WorldSettings, rng: np.random.Generator) -> dict[Identifier, tuple[int, int]]:
    """Place each town near the middle of a field of a square grid. A single town is near the centre of the map."""
    along = int(np.ceil(np.sqrt(max(len(settings.towns), 1))))
    field, found = settings.size / along, dict[Identifier, tuple[int, int]]()
    for number, name in enumerate(settings.towns):
        moved = rng.uniform(-0.15, 0.15, size=2) * field
        x, z = (int((place + 0.5) * field + by) for place, by in zip(divmod(number, along), moved, strict=True))
        found[name] = (x, z)
    return found


def _near(towns: dict[Identifier, tuple[int, int]], size: int, radius: int) -> Truths:
    """Return the cells within a radius of a town's centre."""
    places, clear = np.arange(size), np.zeros((size, size), dtype=np.bool_)
    for x, z in towns.values():
        clear |= (places[:, None] - x) ** 2 + (places[None, :] - z) ** 2 <= radius**2
    return clear
