"""Commands of a world that has actions of its own, as its percepts name them.

The world alone reads a command and checks what it needs. An agent gives one whose first word a percept names.
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import JsonValue

from nemuri_society.cognition.intents import Intent, Verb
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.prompt_words import quoted

ALWAYS: Final = frozenset[Verb]({"do", "rest", "wait", "plan"})
"""Verbs that are possible in every world."""


def has_commands(percepts: Mapping[str, JsonValue]) -> bool:
    """Return True if the world has commands of its own, and so no actions of a world of blocks."""
    return bool(listed(percepts, "possible"))


def first_words(percepts: Mapping[str, JsonValue]) -> frozenset[str]:
    """Return the first words of the commands that a percept names, in small letters."""
    return frozenset(_form(possible).split(" ")[0].casefold() for possible in listed(percepts, "possible"))


def command_obstacle(intent: Intent, percepts: Mapping[str, JsonValue]) -> str | None:
    """Return why an intent cannot be carried out in a world with commands of its own; None if nothing is known to stand
    in its way.
    """
    known = first_words(percepts)
    named = intent.verb if intent.command is None else intent.command.split(" ")[0].casefold()
    if intent.verb in ALWAYS and (intent.command is None or named in known):
        return None
    return f"there is no command `{named}` here"


def command_lines(percepts: Mapping[str, JsonValue]) -> list[str]:
    """Return a line for each command: its form, what it does and needs, and the choices that there are now."""
    return [_line(possible) for possible in listed(percepts, "possible")]


def notice_lines(percepts: Mapping[str, JsonValue]) -> list[str]:
    """Return a line for each thing that stands before the agent. Words of others are quoted."""
    return [
        f"{notice.get('about')}: {quoted(notice['words'])}" if notice.get("words") else str(notice.get("about"))
        for notice in listed(percepts, "notices")
    ]


def _form(possible: Mapping[str, Any]) -> str:
    return str(possible.get("command") or "")


def _line(possible: Mapping[str, Any]) -> str:
    needs = f"; it needs {possible['needs']}" if possible.get("needs") else ""
    choices = [str(choice) for choice in listed(possible, "choices")]
    named = [f"`{choice}`" for choice in choices if choice != possible.get("command")]
    now = f"; now: {', '.join(named)}" if named else ""
    return f"you {'can' if choices else 'cannot yet'} `{_form(possible)}`: it {possible.get('does')}{needs}{now}"
