"""The sections of an agent's shared state: all sections of both lists in document 002 §2.1.

A section maps names to JSON values. Lists keep only their newest entries, so prompts and stored states have a bounded
size.
"""

from collections.abc import Iterable
from typing import Final

from pydantic import JsonValue

SECTIONS: Final[dict[str, str]] = {
    "profile": "identity of the agent: name, traits, role, town, and the text given to it when it was created",
    "percepts": "current perception, in the format of the world's contract",
    "working_memory": "short description of the current situation (004 §4.2.1); `progress` of actions; `spoken` text",
    "short_term_memory": "how many experiences are recorded already; the experiences themselves are in the log",
    "long_term_memory": "number of long-term memories; the memories themselves are in the log",
    "memory_recall": "last retrieval: the query and the memories found",
    "goals": "`active`: a list of goals, each with id, description, priority, sort and needs",
    "goal_graph": "relations between goals: `nodes` and `edges`",
    "plans": "current plan: `steps`, `goal`, `status`; the goals that are `done` and `given_up`",
    "social_model": "opinion about each other agent, by that agent's name",
    "conversations": "`entries`: utterances that it heard, its own included, each with the speaker's name",
    "deeds": "`entries`: deeds of others, each with `by`, `deed`, `stack`, `want`, `what` and second",
    "action_history": "`entries`: its acts, each with the expected and the actual outcome",
    "action_corrections": "`entries`: differences between expectation and perception; `anomalies`: number still open",
    "attempts": "`entries`: intents that failed, each with the reason, the second and the number of times",
    "places": "places that it remembers: `named`, `blocks` by kind, and `people` where they were last seen",
    "decision": "last decision of the controller, broadcast to all modules",
    "workspace": "module outputs still below the controller's threshold, each with its accumulated salience",
    "reflections": "`entries`: conclusions that it drew from its own actions",
    "pending_acts": "`queue`: the next acts to carry out, each with id, act and the decision it belongs to",
    "pending_speech": "`text`: the next utterance; `decision`: the decision it belongs to",
    "study": "`given`: ids of what people gave it and asked it; `items`: kinds of items that it ever held",
    "experiences": "experiences to record, by the module that wrote them; removed as soon as they are recorded",
}
"""Description of each section, by name."""

VOLATILE: Final = frozenset(
    {"percepts", "working_memory", "memory_recall", "workspace", "pending_acts", "pending_speech", "experiences"}
)
"""Sections that are not persisted. They are derived from others, or the world sends them again."""

MAX_ENTRIES: Final[dict[str, int]] = {
    "conversations": 48,
    "action_history": 12,
    "deeds": 24,
    "action_corrections": 8,
    "attempts": 6,
    "reflections": 8,
}
"""Maximum number of entries of each list section. Older entries are dropped; only memories of them remain."""


def newest_entries(section: str, entries: Iterable[JsonValue]) -> list[JsonValue]:
    """Return the newest of these entries, as many as the section keeps."""
    return list(entries)[-MAX_ENTRIES[section] :]
