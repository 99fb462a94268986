"""The parameters of strength memory, with the defaults of document 003 §4 as ruled for this project."""

from collections.abc import Mapping
from math import log
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

Rate = Annotated[float, Field(ge=1e-6, le=1)]
Amount = Annotated[float, Field(ge=0, le=1e6)]
Strength = Annotated[float, Field(gt=0, le=1e6)]
MOST = 10**9
"""No number of things is larger: every store holds it."""
Uses = Annotated[int, Field(ge=0, le=MOST)]
Detection = Literal["layered", "citation", "tag", "similarity", "judge"]
RELEVANCE_FLOOR = 0.25
"""The share of a query's terms that a memory has to hold for anything to be relevant to it (`bench/abstention.py`)."""
LEVELS = 6
"""Levels of consolidation, 0 (fresh) to 5 (settled)."""


class Policy(BaseModel):
    """How an agent remembers and forgets."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    initial_strength: Strength = 1.0
    initial_strength_education: Strength = 0.5
    strength_increment_on_use: Amount = 0.1
    perspective_strength_increment: Amount = 0.15
    review_increment: Amount = 0.2
    """What a review after a wrong answer adds (document 000 §4.1)."""
    archive_threshold: Strength = 0.1
    """What is fainter than this, overall and in every perspective, is archived."""
    reactivation_strength: Strength = 0.5
    reactivation_levels: int = Field(default=2, ge=0, lt=LEVELS)
    """How many levels a memory falls when it is brought back from the archive."""

    expected_tasks_per_day: float = Field(default=10, ge=0.01, le=1e6)
    """So many tasks age the agent's memories by a day."""
    fading: Literal["clock", "tasks"] = "clock"
    """`clock`: by tasks, but by no more days than have passed; `tasks`: by tasks alone, as documents 000 and 003."""
    consolidation_thresholds: tuple[Uses, Uses, Uses, Uses, Uses, Uses] = (0, 5, 15, 30, 60, 100)
    """Uses needed for each level."""
    daily_decay_targets: tuple[Rate, Rate, Rate, Rate, Rate, Rate] = (0.95, 0.97, 0.98, 0.99, 0.995, 0.998)
    """What remains of a strength after a day, for each level."""

    candidate_limit: int = Field(default=50, ge=1, le=200)
    relevance_floor: float = Field(default=RELEVANCE_FLOOR, ge=0, le=1)
    """How much a memory must have in common with a query for anything to come to mind at all; 0 lets every hit pass.

    A share of the query's terms, weighted by their rarity; for cosines it is a multiple of the embedder's threshold.
    """
    top_k_results: int = Field(default=10, ge=1, le=200)
    ranking: Literal["learned", "linear", "document_003", "document_000"] = "learned"
    """By the learned scorer while it is better than the linear score, by that one else; or by the documents' own."""
    min_training_samples: int = Field(default=100, ge=2, le=MOST)
    """Used and unused candidates before a scorer is trained at all."""
    retrain_after: int = Field(default=30, ge=1, le=MOST)
    """New ones before it is trained again; feedback that changes what they are worth does so at once."""
    use_detection: Detection = "layered"
    """How use is recognised: by citations, else similarity, else two tags; or by one of them, or by a light model."""
    selection: Literal["top_k", "threshold", "tail"] = "top_k"
    """Document 000 §3.4: a fixed number, by score, or a fixed number and a drawn tail."""
    score_threshold: float = Field(default=0.4, ge=0, le=1)
    selection_limit: int = Field(default=20, ge=1, le=200)
    """The most that selection by threshold or with a tail takes."""
    source_share: float = Field(default=0.5, gt=0, le=1)
    """At most this share of the candidates, and of the context, is from one source as long as others are relevant.

    A source is a client or a textbook (`Origin.source`); what is left is filled up by whatever comes next.
    """
    principles_share: float = Field(default=0.5, ge=0, le=200)
    """Principles join outside the fixed number, but at most this share of it, strongest first."""
    enable_query_expansion: bool = True
    index_memo_tokens: int = Field(default=150, ge=0, le=4_000)
    """How long the table of contents of its memory is that an agent is given with every task; 0 for none."""

    impact_user_positive: Amount = 2.0
    impact_task_success: Amount = 1.5
    impact_prevented_error: Amount = 2.0
    impact_to_strength_ratio: Amount = 0.2

    max_active_memories: int | None = Field(default=5_000, ge=1, le=MOST)
    """None switches this limit off."""
    max_total_weight: float | None = Field(default=10_000, gt=0, le=1e12)
    """None switches this limit off."""
    consolidation_weights: tuple[Amount, Amount, Amount, Amount, Amount, Amount] = (1, 2, 4, 8, 16, 32)

    @model_validator(mode="after")
    def _rising(self) -> Self:
        thresholds = self.consolidation_thresholds
        if thresholds[0] != 0 or list(thresholds) != sorted(set(thresholds)):
            raise ValueError("consolidation_thresholds begin with 0 and rise")
        return self

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "Policy":
        """The policy with these parameters; the default one if they are not valid, because history happened."""
        if not parameters:
            return _DEFAULT
        try:
            return cls.model_validate(dict(parameters))
        except ValidationError:
            return _DEFAULT

    @property
    def differing(self) -> dict[str, Any]:
        """The parameters that differ from the defaults, as JSON values."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def begins(self, source: str) -> float:
        """The strength of a memory that begins from this source: what is only read is not used yet."""
        return self.initial_strength_education if source == "education" else self.initial_strength

    def rate(self, level: int) -> float:
        """What one sleep over one session leaves of a strength (document 003 §4.2)."""
        return float(self.daily_decay_targets[level] ** (1 / self.expected_tasks_per_day))

    def lifetime(self, level: int = 0) -> float | None:
        """Days until a memory that begins at full strength and is never used is archived; None where it never is."""
        rate = self.daily_decay_targets[level]
        if self.initial_strength < self.archive_threshold:
            return 0.0
        return None if rate == 1 else log(self.archive_threshold / self.initial_strength) / log(rate)

    def level(self, uses: int) -> int:
        """The level of consolidation that so many uses earn."""
        return sum(uses >= threshold for threshold in self.consolidation_thresholds[1:])

    def within(self, level: int, uses: int) -> int:
        """So many uses, but no more than earn no higher level than this one."""
        return min((uses, *(above - 1 for above in self.consolidation_thresholds[level + 1 :])))


_DEFAULT = Policy()
