"""Division of a prompt's token budget among its sections, and shortening of texts to fit (document 004 §4.2.1)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

from nemuri_domain.language.token_estimate import estimate_tokens, token_upper_bound, truncate

PromptSection = Literal["system", "working_memory", "goals", "social", "memories", "alerts"]
"""Name of a section of the controller's prompt."""
PROMPT_SECTIONS: Final[tuple[PromptSection, ...]] = (
    "system",
    "alerts",
    "working_memory",
    "goals",
    "social",
    "memories",
)
"""All sections, most important first."""
PROMPT_TOKENS: Final = 4_096
"""Token budget of the controller's whole prompt."""
BASE_SHARES: Final[Mapping[PromptSection, float]] = MappingProxyType(
    {"system": 0.10, "working_memory": 0.30, "goals": 0.15, "social": 0.15, "memories": 0.20, "alerts": 0.10}
)
"""Share of each section in the budget if urgency and company are 0."""
URGENCY_GAIN: Final = 2.0
"""Relative growth of the weight of the alerts at urgency 1. With 2.0 the weight triples."""
COMPANY_GAIN: Final = 1.0
"""Relative growth of the weight of the social section at company 1. With 1.0 the weight doubles."""
MAX_KINDS: Final = 6
"""Maximum number of kinds of texts that are counted in the line about omitted texts."""
MAX_KIND_CHARACTERS: Final = 40
_BREAK: Final = 1
"""Tokens counted for the line break after each text."""


def section_shares(urgency: float, company: float) -> Mapping[PromptSection, float]:
    """Return each section's share of the budget. The shares sum to 1.

    `urgency` and `company` are clamped to 0 to 1. If both are 0, the shares are those of document 004. Urgency raises
    the share of the alerts, and company that of the social section. The other shares shrink in proportion, except the
    share of the system prompt, which stays a tenth.
    """
    gains: dict[PromptSection, float] = {
        "alerts": 1 + URGENCY_GAIN * min(1.0, max(0.0, urgency)),
        "social": 1 + COMPANY_GAIN * min(1.0, max(0.0, company)),
    }
    weights = {part: share * gains.get(part, 1.0) for part, share in BASE_SHARES.items() if part != "system"}
    scale = (1 - BASE_SHARES["system"]) / sum(weights.values())
    kept: dict[PromptSection, float] = {"system": BASE_SHARES["system"]}
    return kept | {part: weight * scale for part, weight in weights.items()}


def fit_to_budget(
    texts: Mapping[PromptSection, Sequence[str]], budget: int, shares: Mapping[PromptSection, float]
) -> Mapping[PromptSection, tuple[str, ...]]:
    """Return the texts of each section that fit into `budget` estimated tokens, in their order.

    The budget is divided in proportion to `shares`. Tokens that a section does not need go to the sections that need
    more. Texts at the end of a section that do not fit are replaced by one line that counts them by kind. A single text
    that does not fit is cut at the end of a sentence. Each text costs one token more for its line break. Empty texts
    are dropped. The result has every section of `texts`, perhaps with an empty tuple. A section without a share gets
    what the others leave.
    """
    if all(shares.get(part, 0.0) > 0 for part in texts) and _fits(texts, budget):
        return {part: tuple(text for text in texts[part] if text) for part in PROMPT_SECTIONS if part in texts}
    costs = {
        part: [estimate_tokens(text) + _BREAK for text in texts[part] if text]
        for part in PROMPT_SECTIONS
        if part in texts
    }
    allotted = _allotted({part: sum(tokens) for part, tokens in costs.items()}, budget, shares)
    spare = max(0, budget) - sum(allotted.values())
    fitted: dict[PromptSection, tuple[str, ...]] = {}
    for part, prices in costs.items():
        fitted[part], spare = _cut([text for text in texts[part] if text], prices, allotted[part] + spare)
    return fitted


def _fits(texts: Mapping[PromptSection, Sequence[str]], budget: int) -> bool:
    """Return True if an upper bound of the tokens of all texts is within the budget."""
    return sum(token_upper_bound(text) + _BREAK for some in texts.values() for text in some if text) <= budget


def _allotted(
    needs: Mapping[PromptSection, int], budget: int, shares: Mapping[PromptSection, float]
) -> dict[PromptSection, int]:
    """Return the number of tokens for each section: the budget, divided in proportion to `shares`.

    A section that needs less than its share gets only what it needs; the rest is divided among the others.
    """
    given: dict[PromptSection, int] = {}
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
    """Return the texts that fit into `room` tokens, and the number of tokens left.

    The last texts, which matter least, become one line with their numbers. If only one text is too long, or the first
    one already is, its beginning is kept.
    """
    if sum(prices) <= room:
        return tuple(texts), room - sum(prices)
    used = sum(prices[:-1])
    if begun := truncate(texts[-1], room - used - _BREAK):
        return (*texts[:-1], begun), room - used - estimate_tokens(begun) - _BREAK
    for kept in range(len(texts) - 1, 0, -1):
        summary = omission_line(texts[kept:])
        left = room - sum(prices[:kept]) - estimate_tokens(summary) - _BREAK
        if left >= 0:
            return (*texts[:kept], summary), left
    summary = omission_line(texts[1:])
    left = room - estimate_tokens(summary) - _BREAK
    if summary and (begun := truncate(texts[0], left - _BREAK)):
        return (begun, summary), left - estimate_tokens(begun) - _BREAK
    begun = truncate(texts[0], room - _BREAK)
    return ((begun,), room - estimate_tokens(begun) - _BREAK) if begun else ((), room)


def omission_line(texts: Sequence[str]) -> str:
    """Return one line that counts texts by their beginning, up to the first colon; "" if there are none. It names the
    `MAX_KINDS` most frequent beginnings.
    """
    kinds = Counter(text.partition(": ")[0][:MAX_KIND_CHARACTERS] if ": " in text else "other" for text in texts)
    counts = [f"{number} × {kind}" for kind, number in kinds.most_common(MAX_KINDS)]
    return f"({len(texts)} more, left out: {', '.join(counts)})" if texts else ""
