"""Parameters of strength memory. The defaults are those of document 003 §4 as ruled for this project."""

from collections.abc import Mapping
from math import log
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

Rate = Annotated[float, Field(ge=1e-6, le=1)]
Amount = Annotated[float, Field(ge=0, le=1e6)]
Strength = Annotated[float, Field(gt=0, le=1e6)]
MAX_COUNT = 10**9
"""Upper bound of all counts. It fits the integer columns of every store."""
Uses = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Detection = Literal["layered", "citation", "tag", "similarity", "judge"]
RELEVANCE_FLOOR = 0.15
"""Minimum relevance of the best memory. Nine of ten questions in other words reach more (`bench/heard.py`)."""
LEVELS = 6
"""Number of consolidation levels, 0 (fresh) to 5 (settled)."""


class Policy(BaseModel):
    """Parameters of an agent's strength memory."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    initial_strength: Strength = 1.0
    """Initial strength of a memory."""
    initial_strength_education: Strength = 0.5
    """Initial strength of a memory that was read in a textbook."""
    initial_strength_inferred: Strength = 0.7
    """Initial strength of a memory that was inferred. It gains the rest of `initial_strength` when it is confirmed."""
    strength_increment_on_use: Amount = 0.1
    """Strength added by a use in an answer."""
    perspective_strength_increment: Amount = 0.15
    """Strength added by a use to the perspective of the task."""
    review_increment: Amount = 0.2
    """Strength added by a review after a wrong answer (document 000 §4.1)."""
    archive_threshold: Strength = 0.1
    """A memory is archived when its strength is below this value, overall and in every perspective."""
    reactivation_strength: Strength = 0.5
    """Minimum strength of a memory after its reactivation from the archive."""
    reactivation_levels: int = Field(default=2, ge=0, lt=LEVELS)
    """Number of levels that a memory loses when it is reactivated from the archive."""

    expected_tasks_per_day: float = Field(default=10, ge=0.01, le=1e6)
    """Number of tasks that make the agent's memories decay by one day."""
    fading: Literal["clock", "tasks"] = "clock"
    """`clock`: tasks cause decay, but never more days of decay than have passed. `tasks`: tasks alone cause decay, as
    in documents 000 and 003.
    """
    consolidation_thresholds: tuple[Uses, Uses, Uses, Uses, Uses, Uses] = (0, 5, 15, 30, 60, 100)
    """Minimum number of uses for each level."""
    daily_decay_targets: tuple[Rate, Rate, Rate, Rate, Rate, Rate] = (0.95, 0.97, 0.98, 0.99, 0.995, 0.998)
    """Factor applied to the strength per day of decay, for each level."""

    candidate_limit: int = Field(default=50, ge=1, le=200)
    """Maximum number of candidates of stage 1 of retrieval."""
    relevance_floor: float = Field(default=RELEVANCE_FLOOR, ge=0, le=1)
    """Minimum relevance of the best memory for a retrieval to return anything; 0 accepts every hit.

    Relevance is absolute: it depends on the query and the memory alone, with any embedder.
    """
    top_k_results: int = Field(default=10, ge=1, le=200)
    """Number of memories that are selected for the context."""
    ranking: Literal["learned", "linear", "document_003", "document_000"] = "learned"
    """`learned`: the learned scorer while it is better than the linear score, otherwise the linear score. `linear`: the
    linear score. The others are the rankings of documents 003 and 000.
    """
    min_training_samples: int = Field(default=100, ge=2, le=MAX_COUNT)
    """Minimum number of training samples (used and unused candidates) for the first training."""
    retrain_after: int = Field(default=30, ge=1, le=MAX_COUNT)
    """Number of new samples after which the scorer is trained again. Feedback that changes the weight of old samples
    starts a training at once.
    """
    use_detection: Detection = "layered"
    """Method of usage detection. `layered`: citations; without any, similarity; without any, two tags. Each other
    value: this method alone. `judge` is a light model.
    """
    selection: Literal["top_k", "threshold", "tail"] = "top_k"
    """Selection of memories for the context (document 000 §3.4). `top_k`: a fixed number. `threshold`: all with
    `score_threshold` or more. `tail`: a fixed number, and random draws from the rest.
    """
    score_threshold: float = Field(default=0.4, ge=0, le=1)
    """Minimum score for the selection by `threshold`."""
    selection_limit: int = Field(default=20, ge=1, le=200)
    """Maximum number of selected memories with `threshold` or `tail`, and for a query of several items."""
    source_share: float = Field(default=0.5, gt=0, le=1)
    """Maximum share of one source among the candidates and in the context, while other sources have relevant memories.

    A source is a client or a textbook (`Origin.source`). If places remain, they are filled with the next best memories.
    """
    principles_share: float = Field(default=0.5, ge=0, le=200)
    """Maximum number of principles in the context, as a share of `top_k_results`. Principles are added to the selected
    memories, strongest first.
    """
    enable_query_expansion: bool = True
    """True to expand a query by the keywords of the agent's perspectives."""
    index_memo_tokens: int = Field(default=150, ge=0, le=4_000)
    """Maximum length in tokens of the memo that an agent gets with every task; 0 switches the memo off."""
    max_steps: int = Field(default=4, ge=0, le=16)
    """Maximum number of steps (further recalls, readings and consultations) before an answer by a language model."""
    max_step_tokens: int = Field(default=40_000, ge=0, le=MAX_COUNT)
    """Number of tokens that the steps of one assignment may spend. After that the model must answer."""

    semantic_memories_per_sleep: int = Field(default=3, ge=0, le=20)
    """Maximum number of semantic memories that one sleep forms from settled memories that say the same; 0 for none."""
    semantic_level: int = Field(default=1, ge=0, lt=LEVELS)
    """Minimum consolidation level of the memories that become a semantic memory."""
    semantic_similarity: float = Field(default=0.5, ge=0, le=1)
    """Minimum similarity of memories that are compared for this: their cosine, or the share of the shorter one's terms.
    """
    daily_tokens: int | None = Field(default=None, ge=1, le=10**12)
    """Maximum tokens that language models spend on the agent's answers, judgements and learnings in a day (UTC); None
    for no limit.
    """
    daily_money: float | None = Field(default=None, gt=0, le=1e9)
    """The same in the currency of the operator's price list."""

    impact_user_positive: Amount = 2.0
    """Impact points of feedback with the verdict `helpful`."""
    impact_task_success: Amount = 1.5
    """Impact points of feedback with the result `success`."""
    impact_prevented_error: Amount = 2.0
    """Impact points of a memory that prevented an error."""
    impact_to_strength_ratio: Amount = 0.2
    """Strength added per impact point."""

    max_active_memories: int | None = Field(default=5_000, ge=1, le=MAX_COUNT)
    """Maximum number of active memories; None for no limit."""
    max_total_weight: float | None = Field(default=10_000, gt=0, le=1e12)
    """Maximum total weight of the active memories; None for no limit."""
    consolidation_weights: tuple[Amount, Amount, Amount, Amount, Amount, Amount] = (1, 2, 4, 8, 16, 32)
    """Weight of a memory at each level, for `max_total_weight`."""

    @model_validator(mode="after")
    def _rising(self) -> Self:
        thresholds = self.consolidation_thresholds
        if thresholds[0] != 0 or list(thresholds) != sorted(set(thresholds)):
            raise ValueError("consolidation_thresholds must begin with 0 and rise")
        return self

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "Policy":
        """Return the policy with these parameters. Invalid parameters give the default policy, because a fold never
        raises.
        """
        if not parameters:
            return _DEFAULT
        try:
            return cls.model_validate(dict(parameters))
        except ValidationError:
            return _DEFAULT

    @property
    def differing(self) -> dict[str, Any]:
        """Return the parameters that differ from the defaults, as JSON values."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def begins(self, source: str, provenance: str = "told") -> float:
        """Return the initial strength of a memory from this source. Memories that were only read (`education`) or
        inferred start lower.
        """
        if source == "education":
            return self.initial_strength_education
        return self.initial_strength_inferred if provenance == "inferred" else self.initial_strength

    @property
    def confirmation(self) -> float:
        """Return the strength that an inferred memory gains when it is confirmed."""
        return max(0.0, self.initial_strength - self.initial_strength_inferred)

    def rate(self, level: int) -> float:
        """Return the factor applied to a strength by a sleep over one session (document 003 §4.2)."""
        return float(self.daily_decay_targets[level] ** (1 / self.expected_tasks_per_day))

    def lifetime(self, level: int = 0) -> float | None:
        """Return the days of decay after which an unused memory of initial strength is archived; None if it never
        is.
        """
        rate = self.daily_decay_targets[level]
        if self.initial_strength < self.archive_threshold:
            return 0.0
        return None if rate == 1 else log(self.archive_threshold / self.initial_strength) / log(rate)

    def level(self, uses: int) -> int:
        """Return the consolidation level that this number of uses earns."""
        return sum(uses >= threshold for threshold in self.consolidation_thresholds[1:])

    def within(self, level: int, uses: int) -> int:
        """Return `uses`, reduced if necessary so that it earns no level above `level`."""
        return min((uses, *(above - 1 for above in self.consolidation_thresholds[level + 1 :])))


_DEFAULT = Policy()
