"""Parameters of affective memory: the configuration of document 001 with its defaults, and named profiles."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, Self
from zoneinfo import ZoneInfo

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from nemuri_contracts.affective import Category, Reading

Coefficient = Annotated[float, Field(gt=0, lt=1)]
Ratio = Annotated[float, Field(ge=0, le=1)]
Score = Annotated[float, Field(ge=0, le=100)]
"""A retention score, 0 to 100."""
Weight = Annotated[float, Field(ge=0, le=1_000)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
LOCAL = "local"


def _zone(name: str) -> str:
    if name != LOCAL:
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"{name!r} is not a time zone; give a name such as Asia/Tokyo") from error
    return name


class AffectSection(BaseModel):
    """A group of parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Range(AffectSection):
    """Decay coefficients of a category at intensity 0 and at intensity 100."""

    min: Coefficient
    """Decay coefficient per day at intensity 0."""
    max: Coefficient
    """Decay coefficient per day at intensity 100."""

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if self.min > self.max:
            raise ValueError("min must be at most max")
        return self


class Categories(AffectSection):
    """Decay coefficients of each category."""

    casual: Range = Range(min=0.70, max=0.80)
    """Decay coefficients of casual talk."""
    work: Range = Range(min=0.85, max=0.92)
    """Decay coefficients of work."""
    decision: Range = Range(min=0.93, max=0.97)
    """Decay coefficients of decisions."""
    emotional: Range = Range(min=0.98, max=0.999)
    """Decay coefficients of emotional turns."""


class Retention(AffectSection):
    """Parameters of decay."""

    base_decay_coefficient: Coefficient = 0.995
    """Decay coefficient of a category that has no range. Every category has one, so another value is refused."""
    decay_by_category: Categories = Categories()
    """Decay coefficients by category."""
    max_decay_coefficient: Coefficient = 0.999
    """Maximum decay coefficient that recalls can lead to."""
    aging_days: Literal["all", "workdays"] = "all"
    """Days by which memories age: all days, or only those on which there were turns. Without such a day there is no
    night.
    """
    failure_intensity: Annotated[int, Field(ge=0, le=100)] = 0
    """Number added to the intensity of a turn in which errors came up. The sum is at most 100."""
    personal_intensity: Annotated[int, Field(ge=0, le=100)] = 0
    """Number added to the intensity of a turn that says something lasting about the user."""
    standing_coefficient: Coefficient | None = None
    """Decay coefficient of what holds until it is revoked, if its own is lower: what is lastingly said about the user,
    and the rules of a project. None for its own.
    """

    @model_validator(mode="after")
    def _unused(self) -> Self:
        if self.base_decay_coefficient != Retention.model_fields["base_decay_coefficient"].default:
            raise ValueError("base_decay_coefficient has no effect: every category has a range in decay_by_category")
        return self

    def coefficient_of(self, reading: Reading) -> float:
        """Return the decay coefficient per day for the memory of a turn that was read."""
        own = self.coefficient(reading.category, reading.intensity)
        if reading.concern not in ("user", "rule") or self.standing_coefficient is None:
            return own
        return max(own, self.standing_coefficient)

    def coefficient(self, category: Category, intensity: int) -> float:
        """Return the decay coefficient per day for a category and an intensity, 0 to 100.

        A memory of higher intensity has a higher coefficient, so it decays more slowly.
        """
        within: Range = getattr(self.decay_by_category, category)
        return within.min + (within.max - within.min) * intensity / 100


class Levels(AffectSection):
    """Retention scores. A memory stays at a level while its score is above the level's threshold."""

    level1_threshold: Score = 50
    """Retention score above which a memory stays at level 1, the full text."""
    level2_threshold: Score = 20
    """Retention score above which a memory stays at level 2, the summary."""
    level3_threshold: Score = 5
    """Retention score above which a memory stays at level 3, the keywords."""

    @model_validator(mode="after")
    def _falling(self) -> Self:
        if not self.level1_threshold > self.level2_threshold > self.level3_threshold:
            raise ValueError("the thresholds must fall from level 1 to level 3")
        return self


class Recall(AffectSection):
    """Effect that a recall has on the memory in the next night."""

    decay_coefficient_boost: Annotated[float, Field(ge=0, le=1)] = 0.02
    """Number added to the decay coefficient."""
    memory_days_reduction: Ratio = 0.5
    """Share by which the age of the memory is reduced."""
    recall_count_weight: Weight = 0.1
    """Weight of each earlier recall in the priority of a memory."""


class Resonance(AffectSection):
    """Weights of emotional resonance, the similarity of the present mood and a memory's emotion."""

    valence_match_bonus: Weight = 0.3
    """Resonance of an equal valence."""
    arousal_proximity_bonus: Weight = 0.2
    """Resonance of an equal arousal. It falls linearly with the difference."""
    tags_overlap_weight: Weight = 0.5
    """Resonance of equal tags. It is multiplied by the share of common tags."""
    priority_weight_alpha: Weight = 0.3
    """Weight of resonance in the priority of a memory."""

    @property
    def most(self) -> float:
        """The maximum value of resonance."""
        return self.valence_match_bonus + self.arousal_proximity_bonus + self.tags_overlap_weight


class Compression(AffectSection):
    """Maximum share of all memories at each level, and the time of the nightly job."""

    level1_ratio: Ratio = 0.15
    """Maximum share of memories at level 1."""
    level2_ratio: Ratio = 0.30
    """Maximum share of memories at level 2."""
    level3_ratio: Ratio = 0.35
    """Maximum share of memories at level 3."""
    delete_ratio: Ratio = 0.20
    """Share that is left for the archive. It is not enforced."""
    enforced_from: Annotated[int, Field(ge=1, le=1_000_000)] = 20
    """Minimum number of memories at which the ratios are enforced."""
    schedule_hour: Annotated[int, Field(ge=0, le=23)] = 3
    """Hour of the day of the nightly job."""
    interval_hours: Literal[24] = 24
    """Hours between two nights."""
    timezone: Annotated[str, Field(max_length=64), AfterValidator(_zone)] = LOCAL
    """Time zone of `schedule_hour`: a name such as Asia/Tokyo, or `local` for the zone of the machine."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.level1_ratio + self.level2_ratio + self.level3_ratio + self.delete_ratio > 1 + 1e-9:
            raise ValueError("the sum of the ratios must be at most 1")
        return self


class Relations(AffectSection):
    """Parameters of relations between memories."""

    score_proximity_threshold: Score = 5.0
    """Difference of two retention scores below which a relation starts at the newer memory instead of the stronger one.

    """
    auto_link_similarity_threshold: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Minimum cosine of two memories for the relation `same_topic`; None for the embedder's threshold of the same.
    Document 001 has 0.85.
    """
    max_relations_per_memory: Annotated[int, Field(ge=0, le=100)] = 10
    """Maximum number of relations that start at a memory."""
    relation_traversal_depth: Annotated[int, Field(ge=0, le=5)] = 1
    """Maximum number of steps along relations from a retrieved memory to related ones."""
    enable_auto_linking: bool = True
    """True to add relations `same_topic` in the nightly job."""


class AffectRetrieval(AffectSection):
    """Parameters of retrieval."""

    top_k: Annotated[int, Field(ge=1, le=50)] = 5
    """Maximum number of memories that a retrieval returns. Related memories are not counted."""
    relevance_threshold: Weight = 5.0
    """Minimum priority of a memory to be ranked before archived memories and before memories of lower priority."""
    relevance_similarity: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Minimum cosine of a relevant memory; None for the embedder's threshold for recall, below which a memory is
    relevant too if it is about the prompt's topic by its words or its meaning.
    """
    retention_weight: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Weight of the retention in the priority; 1 as in document 001. The rest counts as if nothing had faded, so that
    what fits best comes first, however old.
    """
    max_idle_shows: Annotated[int, Field(ge=0, le=100)] = 3
    """Number of session starts at which a matter of the user's life is shown unasked, before a recall brings it up."""
    fill_up: bool = False
    """If True, less relevant memories fill the result up to `top_k`, as in document 001."""

    def counted_retention(self, retention: float) -> float:
        """Return the retention that counts in the priority, 0 to 100."""
        return 100 * (1 - self.retention_weight) + self.retention_weight * retention


class Archive(AffectSection):
    """Parameters of the archive: revival and automatic deletion."""

    enable_archive_recall: bool = True
    """True to search the archive too."""
    revival_decay_per_day: Annotated[float, Field(gt=0, le=1)] = 0.995
    """Factor applied to the retention score of a revived memory per night in the archive."""
    revival_min_margin: Score = 3.0
    """Minimum distance of the retention score of a revived memory to the threshold of level 3."""
    revival_similarity: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Minimum cosine of an archived memory for a retrieval to ask for its revival; None for the threshold of
    relevance.
    """
    auto_delete_enabled: bool = False
    """True to delete archived memories that meet the conditions below."""
    retention_days: Count = 365
    """First condition: more nights in the archive than this."""
    delete_require_zero_recall: bool = True
    """True to add the condition that the memory was never recalled."""
    delete_max_intensity: Annotated[int, Field(ge=0, le=101)] = 20
    """Second condition: an intensity below this."""
    delete_condition_mode: Literal["AND", "OR"] = "AND"
    """`AND`: all conditions must be met. `OR`: one is enough."""


class Protection(AffectSection):
    """Limit of protected memories."""

    max_protected_memories: Count = 50
    """Maximum number of protected memories. Further ones wait until the user releases a protected memory."""


class Spending(AffectSection):
    """Limits of what language models may spend on the memories of an agent in a day (UTC). Above them words decide."""

    daily_tokens: Annotated[int, Field(ge=1, le=10**12)] | None = None
    """Maximum tokens of the readings and compressions of a day; None for no limit."""
    daily_money: Annotated[float, Field(gt=0, le=1e9)] | None = None
    """The same in the currency of the operator's price list; US dollars for the provider `assistant`."""


class AffectPolicy(AffectSection):
    """All parameters of an agent's affective memory."""

    retention: Retention = Retention()
    levels: Levels = Levels()
    recall: Recall = Recall()
    resonance: Resonance = Resonance()
    compression: Compression = Compression()
    relations: Relations = Relations()
    retrieval: AffectRetrieval = AffectRetrieval()
    archive: Archive = Archive()
    protection: Protection = Protection()
    spending: Spending = Spending()

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "AffectPolicy":
        """Return the policy with these parameters; the default if they are invalid, because a fold never raises."""
        return _of(orjson.dumps(parameters)) if parameters else _DEFAULT

    @property
    def differing(self) -> dict[str, Any]:
        """The parameters that differ from the defaults, as JSON values."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def thresholds(self) -> tuple[float, float, float]:
        """Retention above which a memory stays at level 1, 2 and 3."""
        return self.levels.level1_threshold, self.levels.level2_threshold, self.levels.level3_threshold

    @property
    def ratios(self) -> tuple[float, float, float]:
        """Maximum share of all memories at level 1, 2 and 3."""
        return self.compression.level1_ratio, self.compression.level2_ratio, self.compression.level3_ratio


@lru_cache(maxsize=64)
def _of(parameters: bytes) -> AffectPolicy:
    try:
        return AffectPolicy.model_validate_json(parameters)
    except ValidationError:
        return _DEFAULT


_DEFAULT = AffectPolicy()
_CODING: Final[dict[str, Any]] = {
    "retention": {
        "aging_days": "workdays",
        "failure_intensity": 10,
        "personal_intensity": 20,
        "standing_coefficient": 0.999,
        "decay_by_category": {"work": {"min": 0.92, "max": 0.96}, "decision": {"min": 0.95, "max": 0.98}},
    },
    "levels": {"level1_threshold": 18, "level2_threshold": 9, "level3_threshold": 4},
    "compression": {"enforced_from": 5_000},
    "retrieval": {"top_k": 10, "retention_weight": 0.2},
    "spending": {"daily_tokens": 1_000_000},
}
"""The sessions of a coding assistant are about work, with an intensity of about 33. With the thresholds of document
001, such a memory would leave level 1 in its first night. With the thresholds above, it keeps its whole text for a
week, a summary for ten more nights, and keywords for another ten. Only workdays count as nights, so that a holiday
forgets nothing, and failures and what is said about the user weigh more. What holds until it is revoked (a
preference, a rule of the project) keeps its whole text for years. The ratios are enforced from the number of memories
at which the share of level 1 holds a week of sessions. A question is mostly about something old, so what fits counts
more than what is fresh (`python -m bench.assistant_memory`).
"""
DOCUMENT: Final = "document"
CODING: Final = "coding"
PROFILES: Final = MappingProxyType({CODING: AffectPolicy.model_validate(_CODING), DOCUMENT: AffectPolicy()})
"""Named sets of parameters for different uses of an agent. `document` has the parameters of document 001."""
