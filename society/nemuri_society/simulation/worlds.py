"""The worlds that societies can live in, by name: those of this package, and those of others by an entry point."""

from importlib.metadata import EntryPoint, entry_points
from typing import Final

from nemuri_society.stores.society_states import SocietyError
from nemuri_society.world.society_world import ForeignWorld, StoredWorld, World, split_dump

WORLD_GROUP: Final = "nemuri.worlds"
"""Entry point group of worlds. Each entry point is a class derived from `World`."""
BUILT_IN: Final = {
    "grid": "nemuri_society.world.grid_world:GridWorld",
    "minecraft": "nemuri_society.minecraft.minecraft_world:MinecraftWorld",
    "forum": "nemuri_society.world.forum:Forum",
}
"""The worlds of this package. No other package can replace them."""


class UnknownWorldError(SocietyError):
    """Raised if no installed package has a world of this name, or if it cannot be loaded. The message is one line."""


def world_class(name: str) -> type[StoredWorld]:
    """Return the class of the world with this name. Raises `UnknownWorldError`."""
    points = {point.name: point for point in entry_points(group=WORLD_GROUP)}
    points |= {built_in: EntryPoint(built_in, value, WORLD_GROUP) for built_in, value in BUILT_IN.items()}
    if name not in points:
        raise UnknownWorldError(f"there is no world {name!r}; there are {', '.join(sorted(points))}")
    try:
        found = points[name].load()
    except Exception as error:
        raise UnknownWorldError(f"world {name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, World | ForeignWorld)):
        raise UnknownWorldError(f"world {name!r} is no class derived from World ({points[name].value})")
    return found


def stored_world(name: str, dumped: bytes) -> StoredWorld:
    """Return the world that a society's world process dumped. `name` is that of the world.

    Raises `UnknownWorldError`, and `InvalidSnapshotError` if the bytes are no snapshot of it.
    """
    return world_class(name).load(split_dump(dumped)[1])
