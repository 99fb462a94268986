"""What affective memory costs where models and embeddings are paid for (document 001, appendix on yearly costs)."""

from dataclasses import dataclass

MILLION = 1_000_000
DAYS = 365
"""Of a year."""


@dataclass(frozen=True, slots=True)
class Work:
    """What there was to do."""

    remembered: float
    """Turns that became memories."""
    recalls: float
    """Times that something was looked for."""
    summaries: float
    """Memories that fell to level 2."""
    keyword_lists: float
    """Memories that fell to level 3."""

    def yearly(self, days: float) -> "Work":
        """What there would be to do in a year, where this was the work of so many days."""
        share = DAYS / days
        return Work(self.remembered * share, self.recalls * share, self.summaries * share, self.keyword_lists * share)


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars for a million tokens, and how long texts are; by default as in the document."""

    embedding: float = 0.02
    model_input: float = 1.00
    model_output: float = 5.00
    tokens_per_character: float = 1.5
    """Of Japanese."""
    whole: int = 2_200
    """Characters of a turn: of its trigger and its content together."""
    summary: int = 280
    keywords: int = 50
    query: int = 150
    feeling: int = 100
    """Tokens that a model answers about what was felt."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one sort of work costs."""

    work: str
    input_tokens: float
    output_tokens: float
    dollars: float


def costs(work: Work, prices: Prices | None = None) -> tuple[Cost, ...]:
    """What each sort of work costs: vectors first, then what a model writes.

    The document's tables are this with its tokens rounded to a tenth of a million. Its comparison with larger models
    does not follow from them, and has no counterpart here.
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


def dollars(found: tuple[Cost, ...]) -> float:
    """What it all costs."""
    return sum(each.dollars for each in found)


def _embedding(work: str, tokens: float, at: Prices) -> Cost:
    return Cost(work, tokens, 0.0, tokens * at.embedding / MILLION)


def _model(work: str, read: float, written: float, at: Prices) -> Cost:
    return Cost(work, read, written, (read * at.model_input + written * at.model_output) / MILLION)
