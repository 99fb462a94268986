"""A wandering module: agents walk around their home and sometimes visit other places, without a model."""

from typing import Final
from zlib import crc32

from pydantic import JsonValue

from nemuri_domain.cognition.module import Module, Spec
from nemuri_domain.cognition.percept_updates import listed, mapped
from nemuri_domain.cognition.shared_state import Changes, Snapshot
from nemuri_domain.cognition.situation_detection import number

RANDOM_VALUES: Final = 10_000
"""Number of possible pseudo-random values."""


class WanderingModule(Module):
    """The module that walks to random places. The profile has `home`, `radius`, `visits`, `travels` (probability) and
    `seed`.
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
        """Queue one walk to a place derived from the agent, its seed and the second."""
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
    """Return a number from 0 to below 1 that depends only on the name."""
    return crc32(name.encode()) % RANDOM_VALUES / RANDOM_VALUES
