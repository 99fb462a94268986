"""What a run will ask of each model, computed from the histories before anything is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nemuri.client.conversations import STRETCH_CHARACTERS
from nemuri.evaluation.benchmark import History
from nemuri.evaluation.contexts import turns
from nemuri.evaluation.models import Role
from nemuri.evaluation.run import RunDescription
from nemuri_contracts.conversations import STRETCH_TURNS
from nemuri_contracts.event import Usage
from nemuri_infra.models.settings import Price

PROMPT_TOKENS = 450
"""About what a prompt adds to its texts."""
KNOWN_TOKENS = 900
"""About the tokens of earlier turns and known facts that a stretch is read with."""
FACTS_SHARE = 0.3
"""About the tokens of the facts in a stretch, as a share of the tokens of its turns."""
COMPARED_SHARE = 4
"""About the tokens of new facts and their nearest memories, which are judged in a second call, as a multiple of those
of the facts.
"""
ANSWER_TOKENS, JUDGEMENT_TOKENS = 60, 60
"""About the tokens of an answer, and of a judgement."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens of one role of a model."""

    role: Role
    arm: str
    model: str
    """Name of the model, "PROVIDER:MODEL"."""
    calls: int
    input_tokens: int
    output_tokens: int

    def money(self, prices: Mapping[str, Price]) -> float | None:
        """Return the price of this usage by a price list; None if the list does not have the model."""
        price = prices.get(self.model.rpartition(":")[2])
        spent = Usage(model=self.model, input_tokens=self.input_tokens, output_tokens=self.output_tokens)
        return price.of(spent) if price else None


def estimates(histories: Sequence[History], run: RunDescription) -> list[Estimate]:
    """Return an upper estimate of what learning takes, and reading and judging in each arm.

    Tokens are estimated without the models' own vocabularies (`token_estimate`).
    """
    found = list[Estimate]()
    if (learner := run.models.get("learner")) and "memory" in run.arms:
        found.append(_learning(histories, learner))
    if (reader := run.models.get("reader")) is None:
        return found
    questions = sum(len(history.questions) for history in histories)
    whole = sum(len(history.questions) * _tokens(history) for history in histories)
    for arm in run.arms:
        shown = {"full": whole, "none": 0}.get(arm, questions * run.tokens)
        read = shown + questions * PROMPT_TOKENS
        found.append(Estimate("reader", arm, reader, questions, read, questions * ANSWER_TOKENS))
        judged = questions * (PROMPT_TOKENS + ANSWER_TOKENS)
        judge = run.models.get("judge", reader)
        found.append(Estimate("judge", arm, judge, questions, judged, questions * JUDGEMENT_TOKENS))
    return found


def _tokens(history: History) -> int:
    return sum(passage.tokens for passage in turns(history))


def _learning(histories: Sequence[History], learner: str) -> Estimate:
    calls, tokens = 0, 0
    for history in histories:
        tokens += _tokens(history)
        for conversation in history.conversations:
            characters = sum(len(message.text) for message in conversation.messages)
            calls += max(-(-len(conversation.messages) // STRETCH_TURNS), -(-characters // STRETCH_CHARACTERS))
    facts = round(tokens * FACTS_SHARE)
    shown = tokens + calls * (2 * PROMPT_TOKENS + KNOWN_TOKENS) + COMPARED_SHARE * facts
    return Estimate("learner", "memory", learner, 2 * calls, shown, 2 * facts)
