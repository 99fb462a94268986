"""What an earlier task of a conversation says to a later one (document 000 §3.6)."""

from collections.abc import Iterable
from dataclasses import dataclass

from nemuri_domain.language import token_estimate
from nemuri_domain.language.citations import without_labels
from nemuri_domain.tasks.aggregate import Task

MOST_TURNS = 8
"""So many earlier turns at most are read to understand a request, the newest ones."""
TURN_TOKENS, TURNS_TOKENS = 400, 1_600
"""Estimated tokens of one answer in a conversation, and of all turns together."""

LONGEST_REQUEST = 800
"""Estimated tokens; what is longer says itself what it is about, and no model has to write it all again."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What was asked and answered."""

    question: str
    """In words that stand on their own where there are some."""
    answer: str


def continues(task: Task) -> bool:
    """Whether the task is a turn of a conversation; a negotiated one has parts of its own."""
    return task.conversation is not None and task.option is None


def stands_alone(request: str) -> bool:
    """Whether the request is too long to lean on earlier turns."""
    return token_estimate.estimate_tokens(request) > LONGEST_REQUEST


def waits(earlier: Iterable[Task]) -> bool:
    """Whether an earlier turn is still on its way.

    Every open task ends, so waiting for it ends too; one in negotiation waits for its client and is not waited for.
    """
    return any(each.status == "open" for each in earlier)


def turns(earlier: Iterable[Task]) -> tuple[Turn, ...]:
    """The turns that have an answer, oldest first, the newest of them within `TURNS_TOKENS`; `earlier` newest first."""
    found: list[Turn] = []
    left = TURNS_TOKENS
    for task in earlier:
        if task.answer is None:
            continue
        turn = Turn(
            token_estimate.truncate(task.request or task.text, TURN_TOKENS),
            token_estimate.truncate(without_labels(task.answer), TURN_TOKENS),
        )
        left -= token_estimate.estimate_tokens(turn.question) + token_estimate.estimate_tokens(turn.answer)
        if left < 0:
            break
        found.append(turn)
    return tuple(reversed(found))


def restated(request: str, said: str) -> str | None:
    """The words that stand on their own as they are recorded; None where they are the request itself."""
    return said if said.strip() not in {"", request.strip()} else None
