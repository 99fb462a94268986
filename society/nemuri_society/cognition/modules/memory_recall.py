"""Memory recall: updates working memory, retrieves memories and records experiences (document 002 §1.3, document 004
§4.2.1).
"""

from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition.experience_recording import experiences_since
from nemuri_society.cognition.memory_interface import Memories
from nemuri_society.cognition.module import Module, Spec
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.places import remembered_places
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import CONVERSATION_SECONDS, agents_in_sight, number, said_by_others
from nemuri_society.cognition.working_memory import working_memory_values

RETRIEVAL_INTERVAL: Final = 5.0
"""Minimum seconds between two retrievals. An utterance after a silence causes an earlier one."""
REPEAT_SECONDS: Final = 30.0
"""Seconds after which the same query is searched again."""
MAX_QUERY_CHARACTERS: Final = 400
"""Maximum characters of a query."""
CONTINUOUS_KEYS: Final = ("location", "second", "nearby_agents")
"""Keys of working memory that change continuously. If no other key changed, they are written only every two seconds."""
CALM_PAUSE: Final = 2.0
"""Seconds between two runs without a recent utterance or decision."""
RECENT_SECONDS: Final = 1.0
"""Maximum age in seconds of an utterance or decision that counts as recent."""


class MemoryRecall(Module):
    """The module that keeps working memory up to date, retrieves memories for the situation, and records
    experiences.
    """

    spec = Spec(
        name="memory_recall",
        speed="mid",
        interval=0.2,
        reads=frozenset(
            {"percepts", "conversations", "deeds", "action_history", "goals", "decision"}
            | {"working_memory", "short_term_memory", "memory_recall", "experiences", "places", "profile"}
        ),
        writes=frozenset({"memory_recall", "working_memory", "short_term_memory", "experiences", "places"}),
        wakes=frozenset({"percepts", "conversations", "deeds", "action_history", "goals", "decision"}),
        brief=True,
    )

    def __init__(self, memories: Memories) -> None:
        """Create the module. It queries `memories` and keeps no results itself."""
        self._memories = memories

    def process(self, snapshot: Snapshot) -> Changes:
        """Return changes that update working memory, store retrieved memories if the query changed, and add new
        experiences.
        """
        changes: dict[str, dict[str, JsonValue]] = {}
        now, before = working_memory_values(snapshot), snapshot["working_memory"]
        moved = {key for key, value in now.items() if before.get(key) != value}
        if moved - set(CONTINUOUS_KEYS) or snapshot.second - number(before.get("second"), -1e9) >= CALM_PAUSE:
            changes["working_memory"] = now
        if (places := remembered_places(snapshot)) != snapshot["places"]:
            changes["places"] = places
        new = experiences_since(snapshot)
        if new.experiences:
            waiting = listed(snapshot["experiences"], self.spec.name)
            changes["experiences"] = {self.spec.name: [*waiting, *new.experiences]}
        if new.cursor != snapshot["short_term_memory"]:
            changes["short_term_memory"] = dict(new.cursor)
        if (found := self._recalled(snapshot)) is not None:
            changes["memory_recall"] = found
        return changes

    def pause(self, snapshot: Snapshot) -> float:
        """Return 0.2 seconds after a recent utterance or decision, otherwise 2 seconds."""
        happening = min(snapshot.age(section) for section in ("conversations", "decision"))
        return self.spec.interval if happening < RECENT_SECONDS else CALM_PAUSE

    def _recalled(self, snapshot: Snapshot) -> dict[str, JsonValue] | None:
        last = snapshot["memory_recall"]
        age = snapshot.second - number(last.get("second"), -1e9)
        if age < RETRIEVAL_INTERVAL and not _spoken_to(snapshot, snapshot.second - age):
            return None
        query = memory_query(snapshot)
        if not query or (query == last.get("query") and age < REPEAT_SECONDS):
            return None
        found = self._memories.recall(snapshot.agent_id, query, "cognitive_controller", snapshot.second)
        contents: list[JsonValue] = [
            {"content": memory.content, "score": round(memory.score, 4), "layer": memory.layer, "sort": memory.sort}
            for memory in found
        ]
        return {"query": query, "found": contents, "second": snapshot.second}


def memory_query(snapshot: Snapshot) -> str:
    """Return a memory query for the situation: the last utterances, the first goal, the decision and the agents
    nearby.
    """
    heard = [str(other.get("text", "")) for other in said_by_others(snapshot, 2)]
    goals = sorted(listed(snapshot["goals"], "active"), key=lambda goal: -number(goal.get("priority")))
    decided = str(snapshot["decision"].get("high_level_intent") or "")
    wanted = [str(goal.get("description")) for goal in goals[:1]]
    near = sorted(agents_in_sight(snapshot["percepts"])[:3])
    return ". ".join(filter(None, [*heard, *wanted, decided, " ".join(near)]))[:MAX_QUERY_CHARACTERS]


def _spoken_to(snapshot: Snapshot, second: float) -> bool:
    """Return True if another agent has spoken after this second, following a silence."""
    before, newest = (
        number(utterance.get("second"), -1e9) for utterance in [{}, {}, *said_by_others(snapshot, 2)][-2:]
    )
    return newest > second and newest - before > CONVERSATION_SECONDS
