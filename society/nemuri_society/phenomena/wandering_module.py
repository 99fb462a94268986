"""A module without a model: agents walk around their home and sometimes visit other places."""

from typing import Final
from zlib import crc32

from pydantic import JsonValue

from nemuri_society.cognition.module import Module, Spec
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import number

RANDOM_VALUES: Final = 10_000
"""Number of different values that `pseudo_random` can return."""


class WanderingModule(Module):
    """The module that walks to pseudo-random places near the agent's home, or near another place.

    Keys of the profile: `home` and `visits` (coordinates), `radius` in blocks around them, `travels` (probability of a
    walk to one of `visits`), and `seed`.
    """

    spec = Spec(
        name="wandering",
        speed="slow",
        interval=20.0,
        reads=frozenset({"profile", "percepts", "pending_acts"}),
        writes=frozenset({"pending_acts"}),
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes:
        """Return changes that queue one walk. Its target depends only on the agent, the seed in its profile and the
        current second.
        """
        profile, percepts = snapshot["profile"], snapshot["percepts"]
        if not percepts:
            return {}
        name = f"{profile.get('seed')}/{snapshot.agent_id}/{snapshot.second:.2f}"
        x, z = self._aim(snapshot, name)
        to: JsonValue = {"x": x, "y": mapped(percepts.get("position")).get("y"), "z": z}
        walk: JsonValue = {"id": f"walk-{snapshot.second:.2f}", "act": {"action": "go", "to": to}}
        return {"pending_acts": {"queue": [*listed(snapshot["pending_acts"], "queue"), walk]}}

    def _aim(self, snapshot: Snapshot, name: str) -> tuple[int, int]:
        profile = snapshot["profile"]
        places = listed(profile, "visits")
        goes_away = bool(places) and pseudo_random(f"{name}/away") < number(profile.get("travels"))
        centre = places[int(pseudo_random(f"{name}/whither") * len(places))] if goes_away else listed(profile, "home")
        radius = number(profile.get("radius"), 8.0)
        offset = [round((2 * pseudo_random(f"{name}/{axis}") - 1) * radius) for axis in "xz"]
        return int(centre[0]) + offset[0], int(centre[1]) + offset[1]


def pseudo_random(name: str) -> float:
    """Return a number, at least 0 and below 1, that depends only on the name."""
    return crc32(name.encode()) % RANDOM_VALUES / RANDOM_VALUES
