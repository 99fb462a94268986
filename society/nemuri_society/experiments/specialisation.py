"""The experiment `specialisation`: roles emerge from the agents' goals, with and without knowledge of others' roles."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any, Final

from pydantic import JsonValue

from nemuri.experiments.report import CheckedClaim, Sample
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.modules.goal_generation import REVIEW_SECONDS
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.experiments.experiment_society import Member, Setting, Stage, course, parts, staged
from nemuri_society.phenomena.roles import ROLES, draw_role, role_entropy, role_of, role_persistence
from nemuri_society.phenomena.simulation import Simulation

SEES, BLIND = "sees others", "sees nobody"
ENTROPY, PERSISTENCE = "entropy", "persistence"
TASTE: Final = 0.5
"""Maximum value that an agent's own taste adds to a role, besides the town's need of it."""
SETTLING: Final[dict[str, JsonValue]] = {"id": "g0", "description": "settle in", "priority": 0.1}
"""First goal of every agent. Without a goal all agents would look for one at the same moment."""
MODULES: Final = ("conversing", "goal_generation", "social_awareness", "wandering")
CLAIMS: Final = (
    CheckedClaim("Roles are more diverse if agents see others", (ENTROPY, SEES), (ENTROPY, BLIND)),
    CheckedClaim("Roles last longer if agents see others", (PERSISTENCE, SEES), (PERSISTENCE, BLIND)),
)
Arm = tuple[Callable[[Prompt, Random], str], frozenset[str]]


def sample(seed: int, repeat: int, setting: Setting) -> Sample:
    """Return the measurements of one run: a town, and the same town with agents that do not see others' roles."""
    name = f"specialisation/{seed}/{repeat}"
    arms: dict[str, Arm] = {SEES: (seeing, frozenset()), BLIND: (blind, frozenset())}
    arms |= {arm: (seeing, without) for arm, without in setting.ablations.items()}
    found: dict[tuple[str, str], float] = {}
    for arm, (thinker, without) in arms.items():
        simulation = society(name, setting, thinker, without)
        found |= measured(simulation, arm, setting)
    return found


def society(
    name: str, setting: Setting, thinker: Callable[[Prompt, Random], str], without: frozenset[str]
) -> Simulation:
    """Return agents in one town that choose goals, tell each other their roles and judge each other."""
    chance = Random(f"{name}/arrivals")
    members = [
        Member(
            f"agent-{number}", "town", {"radius": 10}, {"active": [SETTLING], "at": -chance.uniform(0, REVIEW_SECONDS)}
        )
        for number in range(setting.agents)
    ]
    return staged(Stage(members, parts(MODULES, without), thinker), name)[0]


def measured(simulation: Simulation, arm: str, setting: Setting) -> Mapping[tuple[str, str], float]:
    """Return the entropy of roles over time and at the end, and their persistence between two reviews of the goals."""
    looks, courses = {second for _, second in setting.moments}, dict[str, list[str]]()
    reviews = {round(REVIEW_SECONDS * number) for number in range(1, int(setting.seconds / REVIEW_SECONDS) + 1)}
    entropies = []
    for second in sorted(looks | reviews):
        simulation.run(second)
        roles = {who: role for who, state in simulation.engine.states.items() if (role := role_now(state))}
        if second in looks:
            entropies.append(role_entropy(roles.values()))
        if second in reviews:
            for who, role in roles.items():
                courses.setdefault(who, []).append(role)
    return {
        (ENTROPY, arm): entropies[-1],
        (PERSISTENCE, arm): role_persistence(courses.values()),
        **course(ENTROPY, arm, setting, entropies),
    }


def role_now(state: SharedState) -> str | None:
    """Return the role that belongs to an agent's present goals; None if there is none."""
    goals = listed(state.values().get("goals", {}), "active")
    return role_of(str(goal["description"]) for goal in goals)


def answer(prompt: Prompt, rng: Random, *, sees: bool) -> str:
    """Answer a prompt: tell one's own role, read others' roles from their words, or choose goals that the town needs.

    Without `sees`, the goals are chosen without knowledge of others' roles.
    """
    about: Mapping[str, Any] = prompt.about
    match about["job"]:
        case "converse":
            role = role_of(str(goal["description"]) for goal in about["goals"])
            return json.dumps({"say": f"I work as a {role}." if role else "", "mind": {}})
        case "social":
            return json.dumps(
                {name: {"sentiment": 5, "relationship": _told(about, name)} for name in about["speakers"]}
            )
        case "goals":
            known = [str(mapped(opinion).get("relationship")) for opinion in about["social"].values()] if sees else []
            tastes = Random(str(about["agent"]))
            taste = {role: tastes.uniform(0, TASTE) for role in ROLES}
            role = draw_role([word for word in known if word in ROLES], taste, rng)
            wanted = [{"description": item, "priority": 0.5, "needs": []} for item in ROLES[role]]
            return json.dumps({"goals": wanted})
        case job:
            raise ValueError(f"nobody in this town answers questions about {job!r}")


seeing, blind = partial(answer, sees=True), partial(answer, sees=False)


def _told(about: Mapping[str, Any], speaker: str) -> str:
    """Return the role that a speaker named last, or the role known before."""
    known = str(mapped(about["known"].get(speaker)).get("relationship") or "stranger")
    said = [str(utterance["text"]) for utterance in about["heard"] if utterance["speaker"] == speaker]
    named = [role for text in said for role in ROLES if f"a {role}" in text]
    return named[-1] if named else known
