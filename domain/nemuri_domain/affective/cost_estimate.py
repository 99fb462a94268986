"""Estimate of what the models and embeddings of affective memory cost per year (document 001, yearly costs)."""

from dataclasses import dataclass

MILLION = 1_000_000
DAYS_PER_YEAR = 365
"""Days of a year."""


@dataclass(frozen=True, slots=True)
class OperationCounts:
    """Number of operations of each kind in a period."""

    remembered: float
    """Number of turns that became memories."""
    recalls: float
    """Number of retrievals."""
    summaries: float
    """Number of memories that were lowered to level 2."""
    keyword_lists: float
    """Number of memories that were lowered to level 3."""

    def yearly(self, days: float) -> "OperationCounts":
        """Return the expected workload of a year, if this is the workload of `days` days."""
        share = DAYS_PER_YEAR / days
        return OperationCounts(
            self.remembered * share, self.recalls * share, self.summaries * share, self.keyword_lists * share
        )


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in dollars per million tokens, and lengths of texts. The defaults are those of document 001."""

    embedding: float = 0.02
    model_input: float = 1.00
    model_output: float = 5.00
    tokens_per_character: float = 1.5
    """Tokens per character of Japanese text."""
    whole: int = 2_200
    """Characters of a turn: trigger and content together."""
    summary: int = 280
    keywords: int = 50
    query: int = 150
    feeling: int = 100
    """Tokens of a model's answer about the emotion of a turn."""


@dataclass(frozen=True, slots=True)
class OperationCost:
    """The cost of one kind of operation."""

    work: str
    input_tokens: float
    output_tokens: float
    dollars: float


def estimate_costs(work: OperationCounts, prices: Prices | None = None) -> tuple[OperationCost, ...]:
    """Return the cost of each kind of operation, embeddings first.

    The tables of document 001 show the same numbers, with tokens rounded to 0.1 million. The document's comparison with
    larger models does not follow from these numbers and is not implemented.
    """
    at = prices or Prices()
    whole, summary, keywords, query = (
        characters * at.tokens_per_character for characters in (at.whole, at.summary, at.keywords, at.query)
    )
    return (
        _embedding("vectors of new memories", work.remembered * whole, at),
        _embedding("vectors of what is looked for", work.recalls * query, at),
        _embedding("vectors of summaries", work.summaries * summary, at),
        _embedding("vectors of keywords", work.keyword_lists * keywords, at),
        _model("what was felt", work.remembered * whole, work.remembered * at.feeling, at),
        _model("summaries", work.summaries * whole, work.summaries * summary, at),
        _model("keywords", work.keyword_lists * summary, work.keyword_lists * keywords, at),
    )


def total_dollars(found: tuple[OperationCost, ...]) -> float:
    """Return the sum of these costs in dollars."""
    return sum(cost.dollars for cost in found)


def _embedding(work: str, tokens: float, at: Prices) -> OperationCost:
    return OperationCost(work, tokens, 0.0, tokens * at.embedding / MILLION)


def _model(work: str, read: float, written: float, at: Prices) -> OperationCost:
    return OperationCost(work, read, written, (read * at.model_input + written * at.model_output) / MILLION)
