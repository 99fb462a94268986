"""Working memory: the present state of an agent in the form of document 004 §4.2.1."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import JsonValue

from nemuri_contracts.tiered import Cues
from nemuri_domain.tiered.importance import detect_cues
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import bodies_in_sight, number, said_by_others

STRUCTURES: Final = frozenset(
    {"table", "furnace", "chest", "plant", "ripe_plant", "fence", "brick", "glass", "lantern"}
)
"""Blocks that only agents can have built."""
MAX_NEARBY: Final = 8
"""Maximum number of other agents in working memory. The nearest ones are taken."""
BROADCAST_CHARACTERS: Final = 300
"""Maximum characters of the controller's broadcast."""
EMOTION_UTTERANCES: Final = 5
"""Number of the last utterances of others that affect the emotional state."""


@lru_cache(maxsize=4096)
def cues_of(text: str, goals: tuple[str, ...] = ()) -> Cues:
    """Return the cues in a text. Results are cached because many agents hear the same text."""
    return detect_cues(text, goals)


def working_memory_values(snapshot: Snapshot) -> dict[str, JsonValue]:
    """Return the values of working memory that are derived from percepts, goals, acts and the decision."""
    percepts, decision = snapshot["percepts"], snapshot["decision"]
    goals = sorted(listed(snapshot["goals"], "active"), key=lambda goal: -number(goal.get("priority")))
    return {
        "agent_id": snapshot.agent_id,
        "second": snapshot.second,
        **perceived_values(percepts),
        "current_action": current_action(listed(snapshot["action_history"])),
        "active_goals": [str(goal.get("description")) for goal in goals],
        "cc_broadcast": broadcast(decision)[:BROADCAST_CHARACTERS],
        "emotional_state": emotional_state(snapshot),
    }


def perceived_values(percepts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the values of working memory that percepts alone determine."""
    body = percepts if percepts.get("position") else {}
    return {
        "location": location(percepts),
        "inventory_summary": ", ".join(f"{item} x{count}" for item, count in mapped(percepts.get("inventory")).items()),
        "health": body.get("health"),
        "hunger": body.get("hunger"),
        "nearby_agents": nearby_agents(percepts),
    }


def broadcast(decision: Mapping[str, JsonValue]) -> str:
    """Return a decision in words: its intent, and its action unless the intent names it."""
    intent, action = (str(decision.get(key) or "") for key in ("high_level_intent", "priority_action"))
    return ". ".join(filter(None, [intent, "" if action.casefold() in intent.casefold() else action]))


def location(percepts: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return the agent's position, its biome and the built structures in sight; None if the percepts have no
    position.
    """
    if not percepts.get("position"):
        return None
    built = dict.fromkeys(
        str(block["block"]) for block in listed(percepts, "blocks") if block.get("block") in STRUCTURES
    )
    return {**mapped(percepts["position"]), "biome": percepts.get("biome"), "nearby_structures": list(built)}


def current_action(history: list[dict[str, Any]]) -> JsonValue:
    """Return the act under way; None if the last act is over."""
    if not history or mapped(history[-1].get("outcome")):
        return None
    last = history[-1]
    verb, _, target = str(last.get("text")).partition(" ")
    gains = ", ".join(f"{item} x{count}" for item, count in mapped(mapped(last.get("expected")).get("gain")).items())
    return {"type": verb, "target": target or None, "started_at": last.get("second"), "expected_result": gains}


def nearby_agents(percepts: Mapping[str, JsonValue]) -> list[JsonValue]:
    """Return the nearest other agents, at most `MAX_NEARBY`, with their distances in whole blocks."""
    others = bodies_in_sight(percepts)[:MAX_NEARBY]
    return [
        {key: other[key] for key in ("id", "name", "activity") if key in other}
        | {"distance": round(number(other.get("distance")))}
        for other in others
    ]


def emotional_state(snapshot: Snapshot) -> dict[str, JsonValue]:
    """Return the emotional state, computed by rules from health, hunger, wounds, successes, failures and utterances.

    Valence is -1 to 1 and arousal 0 to 1, both rounded to tenths.
    """
    percepts = snapshot["percepts"]
    needs = min(number(percepts.get("health"), 20), number(percepts.get("hunger"), 20)) / 20
    ended = [mapped(act.get("outcome")) for act in listed(snapshot["action_history"])[-5:] if act.get("outcome")]
    luck = sum(1 if outcome.get("done") else -1 for outcome in ended) / max(1, len(ended))
    heard = [str(other.get("text", "")) for other in said_by_others(snapshot, EMOTION_UTTERANCES)]
    stirred = max((cues_of(utterance).emotion for utterance in heard), default=0.0)
    hurt = snapshot.second - number(percepts.get("hurt_at"), -1e9) < 10
    valence = 0.6 * (2 * needs - 1) + 0.3 * luck - 0.5 * hurt
    arousal = 0.1 + 0.6 * hurt + 0.3 * stirred + 0.2 * (1 - needs)
    return {"valence": round(min(1.0, max(-1.0, valence)), 1), "arousal": round(min(1.0, arousal), 1)}
