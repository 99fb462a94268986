"""Formulas of decay, reinforcement and deletion of affective memories (document 001).

Each formula is written once. Depending on `arithmetic`, it is evaluated on floats, numpy arrays or SQL columns.
"""

from functools import reduce
from math import log
from operator import and_, or_
from typing import Any

from nemuri_domain.affective.policy import AffectPolicy, Archive
from nemuri_domain.event_sourcing.numeric_backends import FLOATS, Arithmetic


def retention(
    *,
    kept: Any,
    zero: Any,
    begun: Any,
    coefficient: Any,
    night: Any,
    archived: Any = None,
    arithmetic: Arithmetic = FLOATS,
) -> Any:
    """Return the retention on a night, 0 to 100: kept · coefficient ^ (night - zero).

    `kept` is the retention at age zero, and `zero` the night on which the age is zero (may be fractional). Up to and
    including `begun`, the night of creation, the result is `kept`. From `archived` on, it is constant.
    """
    at = arithmetic.coalesce(archived, night)
    days = arithmetic.where(at <= begun, 0, at - zero)
    return kept * arithmetic.power(coefficient, days)


def nights_until(threshold: float, *, kept: float, coefficient: float) -> float:
    """Return the number of nights in which the retention falls from `kept` to the threshold. Both must be above 0."""
    return log(threshold / kept) / log(coefficient)


def reinforced(
    *, zero: Any, coefficient: Any, night: int, nights: int, rules: AffectPolicy, arithmetic: Arithmetic = FLOATS
) -> tuple[Any, Any]:
    """Return the new `zero` and the new coefficient of a recalled memory, `nights` nights after the night `night`.

    In the first of these nights the age is reduced by `memory_days_reduction` instead of growing; it grows in each
    further one. The coefficient grows up to `max_decay_coefficient`. A coefficient above this maximum is not lowered.
    """
    days = (night - zero) * (1 - rules.recall.memory_days_reduction) + max(0, nights - 1)
    raised = arithmetic.minimum(
        rules.retention.max_decay_coefficient, coefficient + rules.recall.decay_coefficient_boost
    )
    return night + nights - days, arithmetic.maximum(coefficient, raised)


def deletable(*, archived: Any, intensity: Any, recall_count: Any, night: int, rules: Archive) -> Any:
    """Return the condition under which an archived memory is deleted automatically. `archived` is the night on which it
    was archived.
    """
    conditions = [night - archived > rules.retention_days, intensity < rules.delete_max_intensity]
    if rules.delete_require_zero_recall:
        conditions.append(recall_count == 0)
    return reduce(and_ if rules.delete_condition_mode == "AND" else or_, conditions)
