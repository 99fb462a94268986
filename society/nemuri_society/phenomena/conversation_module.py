"""A module that makes one model request per turn, for the next utterance and the agent's state of mind (document 002
§3.3).

It replaces controller, talking and reflection in experiments about conversation only, so that hundreds of agents can be
simulated for hours. The model's state of mind is stored under `mind` in the section `reflections`.
"""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from nemuri_infra.models.json_objects import find_objects
from nemuri_society.cognition import prompt_text
from nemuri_society.cognition.module import Ask, Module, Rank, Spec
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import agents_in_sight, number, said_by_others
from nemuri_society.cognition.task_texts import task_text
from nemuri_society.contracts.world_protocol import SPEECH_LIMIT

TASK = task_text("society_conversation")
ANSWER_TOKENS = 200
"""Maximum tokens of an answer."""
PROMPT_UTTERANCES = 12
"""Maximum number of utterances in the text of the prompt; the last ones are taken. `Prompt.about` contains all new
utterances.
"""


class ConversationModule(Module):
    """The module that takes a turn after each interval, if another agent is near or has spoken."""

    spec = Spec(
        name="conversing",
        speed="mid",
        interval=15.0,
        reads=frozenset({"profile", "percepts", "conversations", "goals", "reflections", "pending_speech"}),
        writes=frozenset({"pending_speech", "reflections"}),
        rank=Rank.TALKING,
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a model request for the agent's turn. Return no changes if no agent is near and none has spoken since
        the last turn.
        """
        near = agents_in_sight(snapshot["percepts"])
        state = mapped(snapshot["reflections"].get("mind"))
        heard_until = number(snapshot["reflections"].get("heard_until"), -1.0)
        heard = [other for other in said_by_others(snapshot) if number(other.get("second")) > heard_until]
        if not (near or heard):
            return {}
        latest_second = max((number(other.get("second")) for other in heard), default=heard_until)

        def apply_turn(text: str) -> Changes:
            utterance, state_after = read_turn(text)
            after: Changes = {"reflections": {"mind": dict(state_after), "heard_until": latest_second}}
            return after if not utterance else {**after, "pending_speech": {"text": utterance}}

        about: dict[str, JsonValue] = {
            "job": "converse",
            "agent": snapshot.name,
            "profile": dict(snapshot["profile"]),
            "goals": listed(snapshot["goals"], "active"),
            "mind": dict(state),
            "heard": [dict(other) for other in heard],
            "near": [*near],
            "second": snapshot.second,
        }
        state_line = f"on your mind: {json.dumps(state, ensure_ascii=False)}" if state else ""
        lines = [state_line, *prompt_text.utterance_lines(heard[-PROMPT_UTTERANCES:], snapshot.name)]
        return Ask(prompt_text.module_prompt(snapshot, TASK, lines, about, ANSWER_TOKENS), apply_turn)


def read_turn(text: str) -> tuple[str, Mapping[str, JsonValue]]:
    """Return the utterance and the state of mind in a reply. Raises ValueError if the reply has neither.

    The utterance is on one line and cut to `SPEECH_LIMIT` characters; "" for silence.
    """
    for reply in find_objects(text):
        if isinstance(reply.get("say"), str) or isinstance(reply.get("mind"), dict):
            utterance = reply.get("say")
            return " ".join(str(utterance or "").split())[:SPEECH_LIMIT], mapped(reply.get("mind"))
    raise ValueError("the reply contains neither an utterance nor a state of mind")
