"""Fitting answers into a number of tokens: whole memories are shown or left out, and never cut in between."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Generic, TypeVar

from pydantic import BaseModel, Field

from nemuri_domain.language.token_estimate import estimate_tokens

T = TypeVar("T")
DEFAULT_TOKENS: Final = 2_000
MIN_TOKENS: Final = 200
MAX_TOKENS: Final = 100_000
FRAME_TOKENS: Final = 120
"""Tokens that are kept free for the lines around the memories of an answer."""
NAMING_SHARE: Final = 4
"""The share of the tokens, as a divisor, that may go to naming what is left out."""

MaxTokens = Annotated[
    int,
    Field(
        ge=MIN_TOKENS,
        le=MAX_TOKENS,
        description="Most tokens that the answer may take (an offline estimate). What does not fit is named, not cut.",
    ),
]


@dataclass(frozen=True, slots=True)
class Fitted(Generic[T]):
    """Items that fit into a budget of tokens, and those that do not."""

    shown: tuple[T, ...]
    named: tuple[T, ...]
    """Items that are left out and named in a line each."""
    counted: int
    """Number of the items that are left out and not even named."""


def cost(text: str, structured: BaseModel) -> int:
    """Return the tokens of a part of an answer: those of its text or of its JSON, whichever are more.

    A host gives the assistant one of the two.
    """
    return max(estimate_tokens(text), estimate_tokens(structured.model_dump_json()))


def fit(items: Sequence[T], full: Callable[[T], int], named: Callable[[T], int], tokens: int) -> Fitted[T]:
    """Return the items that fit into a number of tokens, in their order.

    If not all fit, a quarter of the tokens is kept for lines that name what is left out. An item that does not fit is
    left out, and smaller ones after it may still be shown.

    Args:
        items: Items, most important first.
        full: Function that returns the tokens of an item that is shown.
        named: Function that returns the tokens of the line that names an item which is left out.
        tokens: Tokens for all items together.
    """
    costs = [full(item) for item in items]
    if sum(costs) <= tokens:
        return Fitted(tuple(items), (), 0)
    kept = min(tokens // NAMING_SHARE, sum(map(named, items)))
    shown, out = _greedy(items, costs, tokens - kept)
    spent = sum(full(item) for item in shown)
    lines, more = _greedy(out, [named(item) for item in out], tokens - spent)
    return Fitted(tuple(shown), tuple(lines), len(more))


def _greedy(items: Sequence[T], costs: Sequence[int], tokens: int) -> tuple[list[T], list[T]]:
    """Return the items that fit one after the other, and the others."""
    taken, out = list[T](), list[T]()
    for item, spent in zip(items, costs, strict=True):
        fits = spent <= tokens
        (taken if fits else out).append(item)
        tokens -= spent if fits else 0
    return taken, out
