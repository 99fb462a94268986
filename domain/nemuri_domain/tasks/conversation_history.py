"""Earlier turns of a conversation, which are context for a later task (document 000 §3.6)."""

from collections.abc import Iterable
from dataclasses import dataclass

from nemuri_domain.language import token_estimate
from nemuri_domain.language.citations import without_citations
from nemuri_domain.tasks.aggregate import Task

MOST_TURNS = 8
"""Maximum number of earlier turns that are shown. The newest ones are taken."""
TURN_TOKENS, TURNS_TOKENS = 400, 1_600
"""Maximum estimated tokens of one question or one answer, and of all turns together."""

LONGEST_REQUEST = 800
"""Estimated tokens of a request above which it is not rewritten, because it can be understood without earlier turns."""


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """An earlier question and its answer."""

    question: str
    """The question, in its rewritten form if it has one."""
    answer: str


def continues(task: Task) -> bool:
    """Return True if the request may refer to earlier turns of a conversation. A negotiated task does not, because its
    parts come from its own items.
    """
    return task.conversation is not None and task.option is None


def stands_alone(request: str) -> bool:
    """Return True if the request is too long to depend on earlier turns."""
    return token_estimate.estimate_tokens(request) > LONGEST_REQUEST


def waits(earlier: Iterable[Task]) -> bool:
    """Return True if a task must wait because an earlier task of its conversation is still open.

    Every open task ends, so the wait ends too. An earlier task in negotiation or with an open question does not count,
    because it waits for its client.
    """
    return any(task.status == "open" for task in earlier)


def turns(earlier: Iterable[Task]) -> tuple[EarlierTurn, ...]:
    """Return the newest answered turns that fit `TURNS_TOKENS` together, oldest first. `earlier` has the newest task
    first.
    """
    found: list[EarlierTurn] = []
    left = TURNS_TOKENS
    for task in earlier:
        if task.answer is None:
            continue
        turn = EarlierTurn(
            token_estimate.truncate(task.request or task.text, TURN_TOKENS),
            token_estimate.truncate(without_citations(task.answer), TURN_TOKENS),
        )
        left -= token_estimate.estimate_tokens(turn.question) + token_estimate.estimate_tokens(turn.answer)
        if left < 0:
            break
        found.append(turn)
    return tuple(reversed(found))


def restated(request: str, said: str) -> str | None:
    """Return `said`, the rewritten request; None if it is empty or equals `request`."""
    return said if said.strip() not in {"", request.strip()} else None
