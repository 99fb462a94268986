"""Social awareness: forms an agent's opinion of others from their words and deeds, in company (document 002 §1.3)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from nemuri_infra.models.json_objects import find_objects, one_line
from nemuri_society.cognition import prompt_text, situation_text
from nemuri_society.cognition.deeds import deed_lines
from nemuri_society.cognition.memory_interface import RetrievingModule
from nemuri_society.cognition.module import Ask, Prompt, Rank, Spec
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.person_names import match_name
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import agents_in_sight, number, said_by_others
from nemuri_society.cognition.task_texts import task_text

TASK: Final = task_text("society_opinions")
NEUTRAL: Final = 5.0
MAX_SPEAKERS: Final = 6
"""Maximum number of others that are judged in one run. Those who acted or spoke last are taken."""
WORDS_STEP: Final = 2.0
"""Maximum change of a sentiment by one judgement of words alone. Deeds may change it by any amount."""
MAX_RELATIONSHIP_CHARACTERS: Final = 40
"""Maximum characters of a relationship, and of how somebody seems to feel."""
ANSWER_TOKENS: Final = 240


class SocialAwareness(RetrievingModule):
    """The module that judges each agent that has spoken or done something to this one since it was last judged, if
    another agent is in sight.
    """

    spec = Spec(
        name="social_awareness",
        speed="selective",
        interval=1.0,
        reads=frozenset({"conversations", "deeds", "percepts", "social_model", "profile"}),
        writes=frozenset({"social_model"}),
        wakes=frozenset({"conversations", "deeds"}),
        rank=Rank.SOCIAL,
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a model request to judge the agents who spoke or did something.

        Return no changes if no agent is in sight or none did since the last judgement.
        """
        if not self.asks(snapshot):
            return {}
        new, deeds = unjudged_utterances(snapshot), unjudged_deeds(snapshot)
        latest = sorted([*new, *deeds], key=lambda event: -number(event.get("second")))
        speakers = [*dict.fromkeys(map(_author, latest))][:MAX_SPEAKERS]

        def felt(text: str) -> Changes:
            judged = read_judgements(text, speakers)
            return {"social_model": {name: _model(snapshot, name, judged, new, deeds) for name in speakers}}

        said = prompt_text.spoken(new, snapshot.name)
        memories = self.recalled(snapshot, [*speakers, *(str(heard.get("text")) for heard in new[-2:])], said)
        return Ask(_prompt(snapshot, speakers, new, memories), felt)

    def asks(self, snapshot: Snapshot) -> bool:
        """Return True if an agent is in sight and one spoke or did something since it was last judged."""
        near = agents_in_sight(snapshot["percepts"])
        return bool(near) and bool(unjudged_utterances(snapshot) or unjudged_deeds(snapshot))


def unjudged_utterances(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the utterances of others that came after the last judgement of their speaker."""
    return [other for other in said_by_others(snapshot) if _is_new(snapshot, other)]


def unjudged_deeds(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the gifts, offers and trades of others that came after the last judgement of their author."""
    return [deed for deed in listed(snapshot["deeds"]) if _is_new(snapshot, deed)]


def _is_new(snapshot: Snapshot, event: Mapping[str, Any]) -> bool:
    known = mapped(snapshot["social_model"].get(_author(event)))
    return number(event.get("second")) > number(known.get("last_interaction"), -1.0)


def _author(event: Mapping[str, Any]) -> str:
    """Return the name of the agent that spoke or acted."""
    return str(event.get("speaker") or event.get("by"))


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
    snapshot: Snapshot,
    name: str,
    judged: Mapping[str, Mapping[str, Any]],
    new: Sequence[Mapping[str, Any]],
    deeds: Sequence[Mapping[str, Any]],
) -> JsonValue:
    """Return the opinion of an agent after a judgement. Words alone move the sentiment by at most `WORDS_STEP`."""
    before, now = mapped(snapshot["social_model"].get(name)), judged.get(name, {})
    old = number(before.get("sentiment"), NEUTRAL)
    sentiment = number(now.get("sentiment"), old)
    if not any(_author(deed) == name for deed in deeds):
        sentiment = min(old + WORDS_STEP, max(old - WORDS_STEP, sentiment))
    relationship = one_line(now.get("relationship"), MAX_RELATIONSHIP_CHARACTERS) or before.get("relationship")
    seems = one_line(now.get("seems"), MAX_RELATIONSHIP_CHARACTERS) or before.get("seems")
    model: dict[str, JsonValue] = {
        "sentiment": min(10.0, max(0.0, sentiment)),
        "relationship": relationship or "acquaintance",
        "last_interaction": max(number(event.get("second")) for event in [*new, *deeds] if _author(event) == name),
    }
    return {**model, "seems": seems} if seems else model


def _prompt(
    snapshot: Snapshot, speakers: Sequence[str], new: Sequence[Mapping[str, Any]], memories: list[str]
) -> Prompt:
    heard = [source for source in new if source.get("speaker") in speakers]
    deeds = [deed for deed in unjudged_deeds(snapshot) if deed.get("by") in speakers]
    lines = [
        f"You judge: {', '.join(speakers)}",
        *deed_lines({"entries": [*deeds]}, snapshot.second),
        *prompt_text.opinion_lines(snapshot, speakers),
        *prompt_text.utterance_lines(heard, snapshot.name),
        *situation_text.time_line(snapshot["percepts"]),
        *memories,
    ]
    about: dict[str, JsonValue] = {
        "job": "social",
        "agent": snapshot.name,
        "speakers": [*speakers],
        "heard": [dict(source) for source in heard],
        "deeds": [dict(deed) for deed in deeds],
        "known": {speaker: snapshot["social_model"].get(speaker) for speaker in speakers},
    }
    return prompt_text.module_prompt(snapshot, TASK, lines, about, ANSWER_TOKENS)
