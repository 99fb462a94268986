"""Roles of agents, inferred from their goals, with measures of diversity and persistence (PIANO paper §4)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log
from random import Random
from typing import Final

from nemuri_society.phenomena.script import SCRIPT

ROLES: Final = {role: work.goals for role, work in SCRIPT.roles.items()}
"""Goals of each role, by role."""
DEMAND: Final = {role: work.share for role, work in SCRIPT.roles.items()}
"""Desired share of each role in a town. The shares add up to 1."""
_ROLE_OF: Final = {goal: role for role, goals in ROLES.items() for goal in goals}


def role_of(goals: Iterable[str]) -> str | None:
    """Return the role to which most of the goals belong; in a tie, the role that comes first. None if no goal belongs
    to a role.
    """
    counts = Counter(_ROLE_OF[goal] for goal in goals if goal in _ROLE_OF)
    return counts.most_common(1)[0][0] if counts else None


def draw_role(known_roles: Sequence[str], preferences: Mapping[str, float], rng: Random) -> str:
    """Return a random role, drawn in proportion to the unmet demand for each role.

    `known_roles` are the roles of the other agents that this agent knows. Without them, the demand alone counts. The
    weight of a role is multiplied by 1 + its value in `preferences`.
    """
    counts = Counter(known_roles)
    unmet_demand = {role: max(0.0, share * (len(known_roles) + 1) - counts[role]) for role, share in DEMAND.items()}
    weights = [demand * (1 + preferences.get(role, 0.0)) for role, demand in unmet_demand.items()]
    return rng.choices(list(unmet_demand), weights)[0]


def role_entropy(roles: Iterable[str], kinds: int = len(ROLES)) -> float:
    """Return the normalised Shannon entropy of roles: 0 if all agents have the same role, 1 if all roles are equally
    frequent. `kinds` is the number of possible roles, at least 2.
    """
    counts = Counter(list(roles))
    total = sum(counts.values())
    return -sum(count / total * log(count / total) for count in counts.values()) / log(kinds) if total else 0.0


def role_persistence(histories: Iterable[Sequence[str]]) -> float:
    """Return the share, 0 to 1, of pairs of consecutive observations in which an agent has the same role; 0 without
    pairs.

    Each of `histories` has the observed roles of one agent, oldest first.
    """
    pairs = [one == other for history in histories for one, other in pairwise(history)]
    return sum(pairs) / len(pairs) if pairs else 0.0
