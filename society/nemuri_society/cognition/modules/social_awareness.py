"""Social awareness: forms an agent's opinion of others from their words, while in company (document 002 §1.3)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from nemuri_infra.models.json_objects import find_objects, one_line
from nemuri_society.cognition import prompt_text
from nemuri_society.cognition.memory_interface import RetrievingModule
from nemuri_society.cognition.module import Ask, Prompt, Rank, Spec
from nemuri_society.cognition.percept_updates import mapped
from nemuri_society.cognition.person_names import match_name
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import agents_in_sight, number, said_by_others
from nemuri_society.cognition.task_texts import task_text

TASK: Final = task_text("society_opinions")
NEUTRAL: Final = 5.0
MAX_SPEAKERS: Final = 6
"""Maximum number of speakers that are judged in one run. The latest speakers are taken."""
MAX_RELATIONSHIP_CHARACTERS: Final = 40
"""Maximum characters of a relationship."""
ANSWER_TOKENS: Final = 200


class SocialAwareness(RetrievingModule):
    """The module that judges each agent that has spoken since it was last judged, if another agent is in sight."""

    spec = Spec(
        name="social_awareness",
        speed="selective",
        interval=1.0,
        reads=frozenset({"conversations", "percepts", "social_model", "profile"}),
        writes=frozenset({"social_model"}),
        wakes=frozenset({"conversations"}),
        rank=Rank.SOCIAL,
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a model request to judge the agents who spoke.

        Return no changes if no agent is in sight or none spoke since the last judgement.
        """
        if not self.asks(snapshot):
            return {}
        new = unjudged_utterances(snapshot)
        speakers = [*dict.fromkeys(str(utterance["speaker"]) for utterance in reversed(new))][:MAX_SPEAKERS]

        def felt(text: str) -> Changes:
            judged = read_judgements(text, speakers)
            return {"social_model": {speaker: _model(snapshot, speaker, judged, new) for speaker in speakers}}

        memories = self.recalled(snapshot, [*speakers, *(str(utterance.get("text")) for utterance in new[-2:])])
        return Ask(_prompt(snapshot, speakers, new, memories), felt)

    def asks(self, snapshot: Snapshot) -> bool:
        """Return True if an agent is in sight and one spoke since it was last judged."""
        return bool(agents_in_sight(snapshot["percepts"])) and bool(unjudged_utterances(snapshot))


def unjudged_utterances(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the utterances of others that came after the last judgement of their speaker."""
    known = snapshot["social_model"]
    return [
        other
        for other in said_by_others(snapshot)
        if number(other.get("second"))
        > number(mapped(known.get(str(other.get("speaker")))).get("last_interaction"), -1.0)
    ]


def read_judgements(text: str, speakers: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the judgement of each speaker in a reply. Raises ValueError if it judges none of them."""
    for found in find_objects(text):
        known = {
            match_name(name, speakers): mapped(judgement) for name, judgement in found.items() if mapped(judgement)
        }
        if judged := {speaker: known[speaker] for speaker in speakers if speaker in known}:
            return judged
    raise ValueError("the reply judges none of the speakers")


def _model(
    snapshot: Snapshot, speaker: str, judged: Mapping[str, Mapping[str, Any]], new: Sequence[Mapping[str, Any]]
) -> JsonValue:
    before, now = mapped(snapshot["social_model"].get(speaker)), judged.get(speaker, {})
    sentiment = number(now.get("sentiment"), number(before.get("sentiment"), NEUTRAL))
    relationship = (
        one_line(now.get("relationship"), MAX_RELATIONSHIP_CHARACTERS) or before.get("relationship") or "acquaintance"
    )
    return {
        "sentiment": min(10.0, max(0.0, sentiment)),
        "relationship": relationship,
        "last_interaction": max(number(source.get("second")) for source in new if source.get("speaker") == speaker),
    }


def _prompt(
    snapshot: Snapshot, speakers: Sequence[str], new: Sequence[Mapping[str, Any]], memories: list[str]
) -> Prompt:
    heard = [source for source in new if source.get("speaker") in speakers]
    lines = [
        *prompt_text.opinion_lines(snapshot["social_model"], speakers),
        *prompt_text.utterance_lines(heard, snapshot.name),
        *memories,
    ]
    about: dict[str, JsonValue] = {
        "job": "social",
        "agent": snapshot.name,
        "speakers": [*speakers],
        "heard": [dict(source) for source in heard],
        "known": {speaker: snapshot["social_model"].get(speaker) for speaker in speakers},
    }
    return prompt_text.module_prompt(snapshot, TASK, lines, about, ANSWER_TOKENS)
