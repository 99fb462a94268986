"""The sections of an agent's shared state: all sections of both lists in document 002 §2.1.

A section maps names to JSON values. Lists keep only their newest entries, so prompts and stored states have a bounded
size.
"""

from collections.abc import Iterable
from typing import Final

from pydantic import JsonValue

SECTIONS: Final[dict[str, str]] = {
    "profile": "who the agent is: name, traits, role, town, what it was told at its birth",
    "percepts": "what it perceives now, as the world's contract has it",
    "working_memory": "the present situation in short (004 §4.2.1); the `progress` of hands, what was `spoken`",
    "short_term_memory": "how far experiences are put down already; the experiences themselves are in the log",
    "long_term_memory": "how much is known for good; the memories themselves are in the log",
    "memory_recall": "what came to mind last: the query and what was found",
    "goals": "what it wants: `active`, a list of goals with id, description, priority, sort and needs",
    "goal_graph": "how goals hang together: `nodes` and `edges`",
    "plans": "how it means to get there: `steps`, `goal`, `status`; which goals are `done` and `given_up`",
    "social_model": "what it thinks of each agent, by that agent's name",
    "conversations": "`entries`: what was said within its hearing, its own words too, each with the speaker's name",
    "action_history": "`entries`: its acts, each with what it expected of it and what became of it",
    "action_corrections": "`entries`: where expectation and perception differ; `anomalies`: how many are open",
    "decision": "what the controller decided last: broadcast to all modules",
    "workspace": "what did not get past the controller's threshold yet, with its accumulated salience",
    "reflections": "`entries`: what it made of its own doings",
    "pending_acts": "`queue`: what its hands are to do next, each with id, act and the decision it belongs to",
    "pending_speech": "`text`: what it is about to say, `decision`: by which decision",
    "experiences": "what is to be remembered, by the module that says so; taken away as soon as it is",
}
"""Description of each section, by name."""

VOLATILE: Final = frozenset(
    {"percepts", "working_memory", "memory_recall", "workspace", "pending_acts", "pending_speech", "experiences"}
)
"""Sections that are not persisted. They are derived from others, or the world sends them again."""

MAX_ENTRIES: Final[dict[str, int]] = {
    "conversations": 48,
    "action_history": 12,
    "action_corrections": 8,
    "reflections": 8,
}
"""Maximum number of entries of each list section. Older entries are dropped; only memories of them remain."""


def newest_entries(section: str, entries: Iterable[JsonValue]) -> list[JsonValue]:
    """Return the newest of these entries, as many as the section keeps."""
    return list(entries)[-MAX_ENTRIES[section] :]
