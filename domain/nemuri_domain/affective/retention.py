"""The rules by which affective memories decay, are reinforced and are deleted (document 001).

Each rule is written once. `arithmetic` says on what it is evaluated: floats, numpy arrays or SQL columns.
"""

from functools import reduce
from math import log
from operator import and_, or_
from typing import Any

from nemuri_domain.affective.policy import AffectPolicy, Archive
from nemuri_domain.event_sourcing.arithmetic import FLOATS, Arithmetic


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

    It is `kept` until the night after the one on which the memory began, and constant from the night `archived` on.
    """
    at = arithmetic.coalesce(archived, night)
    days = arithmetic.where(at <= begun, 0, at - zero)
    return kept * arithmetic.power(coefficient, days)


def nights_until(threshold: float, *, kept: float, coefficient: float) -> float:
    """Return the nights after which the retention falls from `kept` to the threshold. Both are above 0."""
    return log(threshold / kept) / log(coefficient)


def reinforced(
    *, zero: Any, coefficient: Any, night: int, nights: int, rules: AffectPolicy, arithmetic: Arithmetic = FLOATS
) -> tuple[Any, Any]:
    """Return `zero` and the coefficient of a recalled memory after so many nights that follow the night `night`.

    The age is reduced instead of growing by a day, and only once if several nights were missed. The coefficient grows,
    up to a maximum that is no reason to lower it.
    """
    days = (night - zero) * (1 - rules.recall.memory_days_reduction) + max(0, nights - 1)
    raised = arithmetic.minimum(
        rules.retention.max_decay_coefficient, coefficient + rules.recall.decay_coefficient_boost
    )
    return night + nights - days, arithmetic.maximum(coefficient, raised)


def deletable(*, archived: Any, intensity: Any, recall_count: Any, night: int, rules: Archive) -> Any:
    """Return the condition under which a memory that was archived on a night is deleted automatically."""
    conditions = [night - archived > rules.retention_days, intensity < rules.delete_max_intensity]
    if rules.delete_require_zero_recall:
        conditions.append(recall_count == 0)
    return reduce(and_ if rules.delete_condition_mode == "AND" else or_, conditions)
