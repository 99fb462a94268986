"""Earlier turns of a conversation, as context for a later task (document 000 §3.6)."""

from collections.abc import Iterable
from dataclasses import dataclass

from nemuri_domain.language import token_estimate
from nemuri_domain.language.citations import without_citations
from nemuri_domain.tasks.aggregate import Task

MOST_TURNS = 8
"""Maximum number of earlier turns, the newest ones."""
TURN_TOKENS, TURNS_TOKENS = 400, 1_600
"""Maximum estimated tokens of one question or answer, and of all turns together."""

LONGEST_REQUEST = 800
"""Estimated tokens above which a request is understood without earlier turns and is not rewritten."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question and its answer."""

    question: str
    """The rewritten question if there is one."""
    answer: str


def continues(task: Task) -> bool:
    """Return True if the task continues a conversation. A negotiated task does not, since it has its own parts."""
    return task.conversation is not None and task.option is None


def stands_alone(request: str) -> bool:
    """Return True if the request is too long to depend on earlier turns."""
    return token_estimate.estimate_tokens(request) > LONGEST_REQUEST


def waits(earlier: Iterable[Task]) -> bool:
    """Return True if an earlier turn is still in progress.

    Every open task ends, so this wait ends too. A task in negotiation waits for its client and is not waited for.
    """
    return any(each.status == "open" for each in earlier)


def turns(earlier: Iterable[Task]) -> tuple[Turn, ...]:
    """Return the newest answered turns within `TURNS_TOKENS`, oldest first; `earlier` is newest first."""
    found: list[Turn] = []
    left = TURNS_TOKENS
    for task in earlier:
        if task.answer is None:
            continue
        turn = Turn(
            token_estimate.truncate(task.request or task.text, TURN_TOKENS),
            token_estimate.truncate(without_citations(task.answer), TURN_TOKENS),
        )
        left -= token_estimate.estimate_tokens(turn.question) + token_estimate.estimate_tokens(turn.answer)
        if left < 0:
            break
        found.append(turn)
    return tuple(reversed(found))


def restated(request: str, said: str) -> str | None:
    """Return the rewritten request to record; None if it equals the request."""
    return said if said.strip() not in {"", request.strip()} else None
