"""Rules of the scripted model for worlds with commands of their own: it chooses among what its percept names."""

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Final

MAX_STEPS: Final = 3
"""Maximum number of steps of a plan."""
MAX_GOALS: Final = 2
_REMARKS: Final = (
    "Good day from {agent}. What is on your minds?",
    "I am {agent}, and I would like to hear what you think.",
    "Does anybody else see it as I do?",
    "Thank you, that is good to know.",
    "I had not thought of it that way.",
    "Let us talk about this some more.",
)
"""The text that the scripted model writes for the word `TEXT` of a command."""


def command_goals(about: Mapping[str, Any], rng: Random) -> list[dict[str, Any]]:
    """Return goals that name what a command does, if there is one that can be given now, with the second, so that a
    goal that is done can return.
    """
    every = _possible(about) or [*about["possible"]]
    wanted = rng.sample(every, min(MAX_GOALS, len(every)))
    second = f"{float(about.get('second') or 0.0):.0f}"
    return [
        {
            "description": f"{possible['does']} (from second {second} on)",
            "priority": round(0.5 + 0.4 * rng.random(), 2),
            "sort": "social",
            "needs": [],
        }
        for possible in wanted
    ]


def command_steps(about: Mapping[str, Any], rng: Random) -> list[str]:
    """Return the steps to a goal: commands that do what it names, or any; a rest if none can be given now."""
    goal = str(about.get("goal"))
    serving = [possible for possible in _possible(about) if possible["does"] in goal] or _possible(about)
    choices = [choice for possible in serving for choice in possible["choices"]]
    return [filled(choice, about, rng) for choice in rng.sample(choices, min(MAX_STEPS, len(choices)))] or ["rest"]


def chosen_command(about: Mapping[str, Any], rng: Random) -> str | None:
    """Return one of the possible commands, each form with the same probability; None if none can be given."""
    possible = _possible(about)
    return filled(rng.choice(rng.choice(possible)["choices"]), about, rng) if possible else None


def filled(command: str, about: Mapping[str, Any], rng: Random) -> str:
    """Return a command with a remark in place of `TEXT`."""
    return command.replace("TEXT", rng.choice(_REMARKS).format(agent=about.get("agent")))


def _possible(about: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the commands that can be given now."""
    found: Iterable[Mapping[str, Any]] = about.get("possible") or ()
    return [possible for possible in found if possible.get("choices")]
