"""Diagnosis of a strength memory, with recommended changes of its parameters (document 003 §6).

Each recommendation is one bounded step, because the measures react slowly: change, wait a week, check again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pydantic import JsonValue

from nemuri_contracts.health_views import Advice, Finding, Measure
from nemuri_domain.strength.parameter_steps import Direction, step_parameter, step_thresholds
from nemuri_domain.strength.policy import Policy

ARCHIVE_RATE: Final = (0.10, 0.30)
"""Normal range of the share of memories archived within 30 days (document 003 §6.1). For a younger agent the share is
extrapolated to 30 days.
"""
MEAN_LEVEL: Final = (1.0, 2.0)
USAGE_RATIO: Final = (0.1, 0.3)
HIT_RATE: Final = (0.7, 0.9)
FULL_USE: Final = (0.1, 0.5)
"""Normal range of the share of a full context that is used. A smaller share means that the context is too large, a
larger one that it is too small (our figures).
"""
MOSTLY_FULL: Final = 0.8
"""Minimum share of assignments with a full context for the context size to be judged. Below this share, `top_k_results`
rarely limits a context.
"""
NEVER_USED: Final = 50
"""A memory is reported if it was in more than this number of contexts and was never used (document 003 §6)."""
FILLED: Final = 0.9
"""Share of a limit above which the limit counts as nearly reached."""
OFF: Final = 0.25
"""Tolerated difference between observed and expected tasks per day, as a share of the expected ones."""

MONTH, WEEK = 30.0, 7.0
ENOUGH_DAYS: Final = 14.0
ENOUGH_MEMORIES: Final = 20
ENOUGH_TASKS: Final = 20

Range = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class HealthCounts:
    """Counts about an agent and its memories, the input of a diagnosis. Principles are not counted as candidates or
    hits.
    """

    days: float
    """Days since the agent was defined."""
    slept: int
    """Number of sessions slept over."""
    active: tuple[int, ...]
    """Number of active memories by level."""
    archived: int
    """Number of memories that were archived in the last 30 days and are still archived."""
    usage_ratio: float | None
    """Mean of uses / appearances in a context, over the memories that were in a context; None without any."""
    candidates: int
    """Number of memories that were in a context."""
    never_used: int
    """Number of memories that were in more than `NEVER_USED` contexts and were never used."""
    tasks: int
    """Number of the newest assignments whose retrieval is known, up to a fixed limit."""
    hits: int
    """Number of the assignments in `tasks` for which at least one memory was retrieved."""
    full: int
    """Number of the assignments in `tasks` with a full context."""
    full_use: float | None
    """Mean share of a full context that was used; None if no use of a full context is recorded."""
    week: int
    """Number of sessions that ended in the last seven days, also those of chapters, because decay counts all
    sessions.
    """


@dataclass(frozen=True, slots=True)
class _Agent:
    vitals: HealthCounts
    rules: Policy
    findings: list[Finding] = field(default_factory=list)

    def find(
        self,
        measure: Measure,
        value: float | None,
        normal: Range,
        *,
        enough: bool,
        low: "Adjustment",
        high: "Adjustment",
    ) -> None:
        """Add the finding for one measure.

        `low` and `high` are the adjustments to recommend below and above the normal range. Without `enough` data the
        verdict is `early` and nothing is recommended.
        """
        verdict = _verdict(value, normal) if enough and value is not None else "early"
        parameter, direction, note = low if verdict == "low" else high if verdict == "high" else (None, "raise", "")
        advice = self.turned(parameter, direction) if parameter else None
        if verdict == "early":
            note = "no data yet" if enough else "too early to tell"
        self.findings.append(
            Finding(measure=measure, value=value, normal=normal, verdict=verdict, advice=advice, note=note)
        )

    def turned(self, parameter: str, direction: Direction) -> Advice | None:
        """Return the advice to change the parameter by one step; None if its value is at the bound."""
        present = getattr(self.rules, parameter)
        if isinstance(present, tuple):
            proposed = step_thresholds(present, direction)
            if proposed == present:
                return None
            return Advice(parameter=parameter, present=[*present], proposed=[*proposed], direction=direction)
        moved = step_parameter(parameter, present, direction)
        return None if moved == present else _advice(parameter, present, moved)


Adjustment = tuple[str | None, Direction, str]
_NOTHING: Final[Adjustment] = (None, "raise", "")


def diagnose(vitals: HealthCounts, rules: Policy) -> tuple[Finding, ...]:
    """Return a finding for each measure of document 003 §6.1 and of `docs/coverage.md`, with the advice of §6.2.

    The similarity threshold of §6.2 is the policy's `relevance_floor`, which means the same with each embedder.
    """
    agent = _Agent(vitals, rules)
    _forgetting(agent)
    _retrieval(agent)
    _room(agent)
    _pace(agent)
    return tuple(agent.findings)


def proposals(findings: Iterable[Finding]) -> Mapping[str, JsonValue]:
    """Return the proposed value of each policy parameter to change. A parameter that one finding raises and another
    lowers is left out.
    """
    wanted: dict[str, set[str]] = {}
    values: dict[str, JsonValue] = {}
    for finding in findings:
        if finding.advice is not None:
            wanted.setdefault(finding.advice.parameter, set()).add(finding.advice.direction)
            values[finding.advice.parameter] = finding.advice.proposed
    return {name: values[name] for name, directions in wanted.items() if len(directions) == 1}


def _forgetting(agent: _Agent) -> None:
    """Add the findings on forgetting: the archive rate and the mean consolidation level.

    Levels depend on the number of uses alone, so the advice on them changes the thresholds. The parameter that document
    003 §6.2 names (`strength_increment_on_use`) has no effect on levels.
    """
    vitals = agent.vitals
    active, known = sum(vitals.active), sum(vitals.active) + vitals.archived
    grown = vitals.days >= ENOUGH_DAYS and known >= ENOUGH_MEMORIES
    agent.find(
        "archive_rate",
        vitals.archived / known * MONTH / min(max(vitals.days, 1.0), MONTH) if known else None,
        ARCHIVE_RATE,
        enough=grown,
        low=("archive_threshold", "raise", "hardly anything is forgotten"),
        high=("archive_threshold", "lower", "too much is forgotten"),
    )
    agent.find(
        "mean_level",
        sum(level * number for level, number in enumerate(vitals.active)) / active if active else None,
        MEAN_LEVEL,
        enough=active >= ENOUGH_MEMORIES and vitals.slept >= ENOUGH_TASKS,
        low=("consolidation_thresholds", "lower", "memories consolidate too slowly"),
        high=("consolidation_thresholds", "raise", "memories consolidate too fast"),
    )


def _retrieval(agent: _Agent) -> None:
    """Add the findings on retrieval: usage ratio, hit rate, context size, and memories that are never used."""
    vitals = agent.vitals
    worked = vitals.tasks >= ENOUGH_TASKS
    noise: tuple[str, Direction] = ("relevance_floor", "raise")
    agent.find(
        "usage_ratio",
        vitals.usage_ratio,
        USAGE_RATIO,
        enough=vitals.candidates >= ENOUGH_MEMORIES,
        low=(*noise, "most retrieved memories are not used"),
        high=("top_k_results", "raise", "nearly all retrieved memories are used, so more may help"),
    )
    agent.find(
        "hit_rate",
        vitals.hits / vitals.tasks if vitals.tasks else None,
        HIT_RATE,
        enough=worked,
        low=("relevance_floor", "lower", "too often nothing is retrieved"),
        high=(*noise, "almost every query retrieves something"),
    )
    _context(agent, enough=worked)
    agent.find(
        "never_used",
        float(vitals.never_used),
        (None, 0),
        enough=True,
        low=_NOTHING,
        high=(*noise, f"in more than {NEVER_USED} contexts and never used"),
    )


def _context(agent: _Agent, *, enough: bool) -> None:
    """Add the finding on the context size. It is normal unless most contexts are full."""
    vitals = agent.vitals
    if enough and vitals.full < MOSTLY_FULL * vitals.tasks:
        note = "contexts are not full, so their size does not matter"
        agent.findings.append(Finding(measure="context", value=None, normal=FULL_USE, verdict="normal", note=note))
        return
    agent.find(
        "context",
        vitals.full_use,
        FULL_USE,
        enough=enough,
        low=("top_k_results", "lower", "contexts are too large: they are full and little of them is used"),
        high=("top_k_results", "raise", "contexts are too small: they are full and most of them is used"),
    )


def _room(agent: _Agent) -> None:
    """Add the findings on the limits of the number and of the weight of active memories."""
    rules, active = agent.rules, agent.vitals.active
    weight = sum(number * share for number, share in zip(active, rules.consolidation_weights, strict=True))
    limits: tuple[tuple[Measure, float, float | None, str], ...] = (
        ("number", sum(active), rules.max_active_memories, "max_active_memories"),
        ("weight", weight, rules.max_total_weight, "max_total_weight"),
    )
    for measure, taken, limit, parameter in limits:
        normal = (None, None if limit is None else FILLED * limit)
        full: Adjustment = (parameter, "raise", "almost full: memories will be pruned before they have decayed")
        agent.find(measure, float(taken), normal, enough=True, low=_NOTHING, high=full)


def _pace(agent: _Agent) -> None:
    """Add the finding on the expected tasks per day, compared with the sessions of the last week (document 003
    §6.3).
    """
    expected, observed = agent.rules.expected_tasks_per_day, agent.vitals.week / WEEK
    tied = agent.rules.fading == "clock"  # With `clock`, a day decays by at most one day, so too many tasks do no harm.
    normal = (expected * (1 - OFF), None if tied else expected * (1 + OFF))
    observed_enough = agent.vitals.days >= WEEK and agent.vitals.week > 0
    verdict = _verdict(observed, normal) if observed_enough else "early"
    notes = {"low": "fewer tasks than expected: too little decay per day", "early": "too early to tell",
             "high": "more tasks than expected: too much decay per day", "normal": ""}  # fmt: skip
    proposed = max(0.01, float(f"{observed:.3g}"))
    advice = None if verdict in {"normal", "early"} else _advice("expected_tasks_per_day", expected, proposed)
    agent.findings.append(
        Finding(
            measure="tasks_per_day",
            value=observed,
            normal=normal,
            verdict=verdict,
            advice=advice,
            note=notes[verdict],
        )
    )


def _verdict(value: float, normal: Range) -> Literal["normal", "low", "high"]:
    low, high = normal
    if low is not None and value < low:
        return "low"
    return "high" if high is not None and value > high else "normal"


def _advice(parameter: str, present: float, proposed: float) -> Advice:
    return Advice(
        parameter=parameter,
        present=present,
        proposed=proposed,
        direction="raise" if proposed > present else "lower",
    )
