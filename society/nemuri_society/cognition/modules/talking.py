"""Talking: puts the speech directive of each decision into one utterance that fits the decision (document 002 §1.3)."""

from typing import Final

from pydantic import JsonValue

from nemuri_domain.language.sentences import spans
from nemuri_infra.models.json_objects import one_line
from nemuri_society.cognition import prompt_text, situation_text
from nemuri_society.cognition.action_progress import steps_of
from nemuri_society.cognition.courses import plan_progress
from nemuri_society.cognition.decision import Decision
from nemuri_society.cognition.deeds import DEED_SECONDS, deed_lines
from nemuri_society.cognition.intents import Intent
from nemuri_society.cognition.memory_interface import RetrievingModule
from nemuri_society.cognition.module import Ask, Prompt, Rank, Spec
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.speech_coherence import contradiction
from nemuri_society.cognition.task_texts import task_text
from nemuri_society.contracts.world_protocol import SPEECH_LIMIT

TASK: Final = task_text("society_speech")
ANSWER_TOKENS: Final = 80
"""Maximum tokens of an utterance."""
PROMPT_UTTERANCES: Final = 8
"""Number of the last utterances that are in the prompt."""


class Talking(RetrievingModule):
    """The module that puts the speech directive of a decision into words.

    An answer depends on the decision and the plan. Words for an outdated decision are never spoken.
    """

    spec = Spec(
        name="talking",
        speed="fast",
        interval=0.1,
        reads=frozenset(
            {"decision", "plans", "social_model", "conversations", "profile", "working_memory", "pending_speech"}
            | {"deeds"}
        )
        | situation_text.SITUATION_TEXT_SECTIONS,
        writes=frozenset({"pending_speech", "working_memory"}),
        wakes=frozenset({"decision", "pending_speech"}),
        rests=frozenset({"decision", "plans"}),
        rank=Rank.TALKING,
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a model request for words if the decision has a directive that the module has not handled yet, else no
        changes.

        Words that contradict the decision are refused, and nothing is said.
        """
        decision = _unspoken_decision(snapshot)
        if decision is None:
            return {}
        steps = _left(snapshot)

        def said(text: str) -> Changes:
            words = utterance(text)
            if not words:
                raise ValueError("the reply contains no words to say")
            if refused := contradiction(words, decision.intent, steps):
                return {"working_memory": {"spoken": {"decision": decision.id, "refused": refused}}}
            spoken: Changes = {"working_memory": {"spoken": {"decision": decision.id}}}
            return {**spoken, "pending_speech": {"text": words, "decision": decision.id}}

        told = prompt_text.spoken(listed(snapshot["conversations"])[-PROMPT_UTTERANCES:], snapshot.name)
        memories = self.recalled(snapshot, [decision.speech_directive], told)
        return Ask(_prompt(snapshot, decision, steps, memories), said)

    def asks(self, snapshot: Snapshot) -> bool:
        """Return True if there is a directive that the module has not handled yet."""
        return _unspoken_decision(snapshot) is not None


def _unspoken_decision(snapshot: Snapshot) -> Decision | None:
    """Return the decision in force if it has a directive that is not handled yet and nothing waits to be said."""
    decision = Decision.of(snapshot["decision"])
    if decision is None or not decision.speech_directive or snapshot["pending_speech"].get("text"):
        return None
    handled = mapped(snapshot["working_memory"].get("spoken")).get("decision")
    return None if handled == decision.id else decision


def utterance(text: str) -> str:
    """Return the words of a reply on one line, without surrounding quotation marks, at most 256 characters.

    A longer reply is cut at the end of a sentence if one ends in the second half of the limit, else after a word.
    """
    words = one_line(text, 4 * SPEECH_LIMIT).strip('"“”「」` ')
    if len(words) <= SPEECH_LIMIT:
        return words
    ends = [end for _, end in spans(words) if end <= SPEECH_LIMIT]
    if ends and 2 * ends[-1] >= SPEECH_LIMIT:
        return words[: ends[-1]].rstrip()
    head = words[:SPEECH_LIMIT]
    return (head.rpartition(" ")[0] or head).rstrip()


def _left(snapshot: Snapshot) -> list[Intent]:
    plans = snapshot["plans"]
    return steps_of(plans)[int(number(plan_progress(snapshot["working_memory"], plans).get("step"))) :]


def _prompt(snapshot: Snapshot, decision: Decision, steps: list[Intent], memories: list[str]) -> Prompt:
    heard = listed(snapshot["conversations"])[-PROMPT_UTTERANCES:]
    speakers = dict.fromkeys(str(remark.get("speaker")) for remark in heard)
    doing = "; ".join(step.words() for step in steps) if decision.intent.verb == "plan" else decision.priority_action
    lines = [
        f"You are to say: {decision.speech_directive}",
        f"You are doing: {doing or 'nothing'}",
        f"Because: {decision.high_level_intent}",
        *situation_text.failure_lines(snapshot)[:2],
        *prompt_text.working_memory_lines(snapshot, ("cc_broadcast", "active_goals")),
        *situation_text.place_lines(snapshot),
        *deed_lines(snapshot["deeds"], snapshot.second, snapshot.second - DEED_SECONDS),
        *prompt_text.opinion_lines(snapshot, speakers),
        *prompt_text.utterance_lines(heard, snapshot.name),
        *memories,
    ]
    about: dict[str, JsonValue] = {
        "job": "speech",
        "agent": snapshot.name,
        "directive": decision.speech_directive,
        "action": decision.priority_action,
        "doing": [step.words() for step in steps] if decision.intent.verb == "plan" else [decision.priority_action],
        "heard": heard,
    }
    return prompt_text.module_prompt(snapshot, TASK, lines, about, ANSWER_TOKENS)
