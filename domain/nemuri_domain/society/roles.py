"""Roles: what agents are, by the goals that they set themselves, how many-sided that is and how lasting (paper, §4)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log
from random import Random
from typing import Final

ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "farmer": ("sow the field", "gather the harvest", "feed the cows"),
    "miner": ("dig for stone", "look for iron", "open a new shaft"),
    "builder": ("raise a wall", "repair the roofs", "pave the road"),
    "guard": ("watch the gate", "walk the walls at night", "drive off a zombie"),
    "smith": ("forge a pickaxe", "smelt the ore", "sharpen the swords"),
    "explorer": ("map the woods", "follow the river", "find a diamond"),
}
"""The goals of each role."""
DEMAND: Final[Mapping[str, float]] = {
    "farmer": 0.3,
    "miner": 0.2,
    "builder": 0.2,
    "guard": 0.15,
    "smith": 0.1,
    "explorer": 0.05,
}
"""What share of a town should do each; they add up to 1."""
_ROLE_OF: Final = {goal: role for role, goals in ROLES.items() for goal in goals}


def role_of(goals: Iterable[str]) -> str | None:
    """The role that most of these goals belong to, the first named in a tie; None where none belongs to any."""
    counts = Counter(_ROLE_OF[each] for each in goals if each in _ROLE_OF)
    return counts.most_common(1)[0][0] if counts else None


def chosen(seen: Sequence[str], taste: Mapping[str, float], rng: Random) -> str:
    """A role, drawn by how many people the town lacks in each, going by the roles of those that are known.

    Where nobody is known that is the demand alone. `taste` is how much more than 1 a role is worth to oneself.
    """
    counts = Counter(seen)
    lack = {role: max(0.0, share * (len(seen) + 1) - counts[role]) for role, share in DEMAND.items()}
    weights = [each * (1 + taste.get(role, 0.0)) for role, each in lack.items()]
    return rng.choices(list(lack), weights)[0]


def entropy(roles: Iterable[str]) -> float:
    """How many-sided a town is: Shannon's entropy over that of all roles alike, 0 (all the same) to 1."""
    counts = Counter(list(roles))
    total = sum(counts.values())
    return -sum(each / total * log(each / total) for each in counts.values()) / log(len(ROLES)) if total else 0.0


def persistence(courses: Iterable[Sequence[str]]) -> float:
    """How lasting roles are: the share of looks at which an agent is what it was at the last one, 0 to 1."""
    pairs = [one == other for course in courses for one, other in pairwise(course)]
    return sum(pairs) / len(pairs) if pairs else 0.0
