"""How much of a prompt each part may take, and texts cut to fit it (document 004 §4.2.1)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

from nemuri_domain.language.token_estimate import estimate_tokens, most_tokens, truncate

Part = Literal["system", "working_memory", "goals", "social", "memories", "alerts"]
"""A part of the controller's prompt."""
PARTS: Final[tuple[Part, ...]] = ("system", "alerts", "working_memory", "goals", "social", "memories")
"""All parts, what may least be missing first."""
PROMPT_TOKENS: Final = 4_096
"""Tokens of a whole prompt of the controller."""
BASE: Final[Mapping[Part, float]] = MappingProxyType(
    {"system": 0.10, "working_memory": 0.30, "goals": 0.15, "social": 0.15, "memories": 0.20, "alerts": 0.10}
)
"""The shares while nothing presses and nobody is near."""
URGENT: Final = 2.0
"""How much more alerts weigh at full urgency: three times as much."""
SOCIABLE: Final = 1.0
"""How much more the social situation weighs in full company: twice as much."""
_BREAK: Final = 1
"""What the line break behind a text costs."""


def shares(urgency: float, company: float) -> Mapping[Part, float]:
    """The share of each part, which sum to 1; both arguments count from 0 to 1, and as the nearer bound outside of it.

    At 0 and 0 these are the document's. Urgency makes alerts grow, company the social situation; the other parts give
    way in proportion, but for the system prompt, which keeps its tenth: who the agent is does not change.
    """
    gains: dict[Part, float] = {
        "alerts": 1 + URGENT * min(1.0, max(0.0, urgency)),
        "social": 1 + SOCIABLE * min(1.0, max(0.0, company)),
    }
    weights = {part: share * gains.get(part, 1.0) for part, share in BASE.items() if part != "system"}
    scale = (1 - BASE["system"]) / sum(weights.values())
    kept: dict[Part, float] = {"system": BASE["system"]}
    return kept | {part: weight * scale for part, weight in weights.items()}


def fit(
    texts: Mapping[Part, Sequence[str]], budget: int, shares: Mapping[Part, float]
) -> Mapping[Part, tuple[str, ...]]:
    """The texts of each part that fit `budget` estimated tokens, in their order; a part without any has an empty tuple.

    What a part does not need of its share passes to those that need more, in proportion to their shares. The first text
    of a part that does not fit whole is cut at a sentence's end, and what follows it is left out. Every text costs a
    line break more, so that the texts of all parts on lines of their own are never over the budget. Empty ones are
    dropped. Every part in `texts` is in the answer; a part without a share has what all others leave.
    """
    if all(shares.get(part, 0.0) > 0 for part in texts) and _fits(texts, budget):
        return {part: tuple(each for each in texts[part] if each) for part in PARTS if part in texts}
    costs = {part: [estimate_tokens(each) + _BREAK for each in texts[part] if each] for part in PARTS if part in texts}
    allotted = _allotted({part: sum(each) for part, each in costs.items()}, budget, shares)
    spare = max(0, budget) - sum(allotted.values())
    fitted: dict[Part, tuple[str, ...]] = {}
    for part, prices in costs.items():
        fitted[part], spare = _cut([each for each in texts[part] if each], prices, allotted[part] + spare)
    return fitted


def _fits(texts: Mapping[Part, Sequence[str]], budget: int) -> bool:
    """Whether all of them fit for certain, however they are counted."""
    return sum(most_tokens(each) + _BREAK for some in texts.values() for each in some if each) <= budget


def _allotted(needs: Mapping[Part, int], budget: int, shares: Mapping[Part, float]) -> dict[Part, int]:
    """Tokens for each part, whole: what it needs where that is less than its share of what is left, else that share."""
    given: dict[Part, int] = {}
    open_parts, left = [part for part in needs if shares.get(part, 0.0) > 0], max(0, budget)
    while open_parts:
        weight = sum(shares[part] for part in open_parts)
        sated = [part for part in open_parts if needs[part] <= left * shares[part] / weight]
        if not sated:
            return dict.fromkeys(needs, 0) | given | {p: int(left * shares[p] / weight) for p in open_parts}
        given |= {part: needs[part] for part in sated}
        left -= sum(needs[part] for part in sated)
        open_parts = [part for part in open_parts if part not in given]
    return dict.fromkeys(needs, 0) | given


def _cut(texts: Sequence[str], prices: Sequence[int], room: int) -> tuple[tuple[str, ...], int]:
    """The texts that fit, and the tokens that are left."""
    kept: list[str] = []
    for text, price in zip(texts, prices, strict=True):
        if price <= room:
            kept.append(text)
            room -= price
            continue
        if beginning := truncate(text, room - _BREAK):
            kept.append(beginning)
            room -= estimate_tokens(beginning) + _BREAK
        break
    return tuple(kept), room
