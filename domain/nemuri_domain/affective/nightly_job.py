"""The decision of the nightly job about decay, archive, revival, protection and relations (document 001, nightly
batch).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import floor
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import Lowered, NightFell, NightPassed, Revived
from nemuri_domain.affective.aggregate import ARCHIVED, AffectAgent, AffectMemory
from nemuri_domain.affective.nightly_columns import MemoryColumns
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.retention import deletable, reinforced, retention
from nemuri_domain.affective.similarity_relations import (
    ActiveRelations,
    RelationContext,
    SimilarPair,
    first_changes,
    relation_changes,
)
from nemuri_domain.event_sourcing.array_arithmetic import ARRAYS

RECALLED_PER_NIGHT = 10_000
"""Maximum number of recalled memories that one night reinforces, so that they fit its event. The next night takes the
rest.
"""
MOVED_PER_EVENT = 2_000
"""Maximum number of memories that one event lists for each kind of change. A further event of the same night lists the
rest.
"""
Numbers = NDArray[np.float64]
Levels = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class NightInput:
    """Input of the nightly job."""

    agent: AffectAgent
    table: MemoryColumns
    """All active memories."""
    asked_back: Sequence[AffectMemory] = ()
    """Archived memories that recalls asked to revive, in the order of these recalls."""
    forgotten: Sequence[AffectMemory] = ()
    """Archived memories to check for deletion. Contains at least all that are due to be deleted."""
    waiting: Sequence[AffectMemory] = ()
    """Memories that wait to be protected, oldest first."""
    web: ActiveRelations = field(default_factory=tuple)
    """Relations of the active memories."""
    fresh: Sequence[UUID] = ()
    """New and changed memories. They were compared with all others for this night."""
    alike: Sequence[SimilarPair] = ()
    """Pairs of a new or changed memory and another memory, with a similarity above the threshold."""
    workdays: Collection[date] | None = None
    """Days with turns since the last night, by `work_day`; None if memories age by all days."""


def last_night_time(now: datetime, hour: int) -> datetime:
    """Return the latest time, not after `now`, at which a night was due, in the time zone of `now`."""
    due = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    return due if due <= now else due - timedelta(days=1)


def first_age(ended: datetime, hour: int) -> float:
    """Return the initial age of a memory, more than 0 and at most 1 day: the time from the session's end to the next
    night.
    """
    return (last_night_time(ended, hour) + timedelta(days=1) - ended) / timedelta(days=1)


def work_day(said_at: datetime, hour: int) -> date:
    """Return the day to which a turn belongs: it begins at the hour of the nightly job, in the zone of `said_at`."""
    return last_night_time(said_at, hour).date()


def workdays_before(night: date, days: Iterable[date]) -> int:
    """Return the number of workdays that a night on this date closes."""
    return sum(day < night for day in days)


def days_passed(cause: NightFell, inputs: NightInput) -> int:
    """Return the days by which memories age in a night: those since the agent's last night, in the first night
    `cause.nights`; or the workdays since then, which may be 0.
    """
    last = inputs.agent.last_night
    if inputs.workdays is not None:
        return workdays_before(cause.date, inputs.workdays)
    return cause.nights if last is None else (cause.date - last).days


def decide(cause: NightFell, inputs: NightInput) -> NightPassed:
    """Return the event of a night. The memories age by `days_passed`, but at least by one day."""
    return _over(cause, inputs, max(1, days_passed(cause, inputs)))


def continue_night(passed: NightPassed, inputs: NightInput) -> NightPassed | None:
    """Return the event that continues an unfinished night.

    None if the night is finished, or if another event of a night has followed it.
    """
    if not passed.unfinished or inputs.agent.last_night_by != passed.sequence:
        return None
    return _over(passed, inputs, 0)


@dataclass(frozen=True, slots=True)
class _NightState:
    """The active memories during the computation of a night."""

    table: MemoryColumns
    rows: NDArray[np.void]
    """Rows of the memories. Memories whose protection starts this night are marked as protected."""
    scores: Numbers
    """Retention of each memory after the night."""
    stays: NDArray[np.bool_]
    """True for a memory that an earlier event of the same night revived."""
    number: int
    """Number of unprotected memories after the night. The ratios of the levels are shares of this number."""
    rules: AffectPolicy

    def natural(self) -> Levels:
        """Return the level of each memory by its retention. No memory returns to a more detailed level.

        Protected memories, and memories in `stays`, keep their level.
        """
        held = self.rows["level"]
        asked = 1 + sum((self.scores <= threshold).astype(np.int8) for threshold in self.rules.thresholds)
        free = (held > 0) & ~self.rows["protected"] & ~self.stays
        levels: Levels = np.where(free, np.maximum(held, asked), held).astype(np.int8)
        return levels

    def revivals(
        self, asked_back: Sequence[AffectMemory], level: Levels, night: int
    ) -> tuple[tuple[Revived, ...], tuple[UUID, ...]]:
        """Return the memories to revive while level 3 has room, and the ids of those to decline (document 001,
        revival).

        Other memories of level 3 give way to them, but if ratios are enforced, they alone never exceed the ratio.
        A night decides about the first `MOVED_PER_EVENT` memories in `asked_back`; the next night decides about the
        rest.
        """
        there = int(np.count_nonzero((level == ARCHIVED - 1) & ~self.rows["protected"]))
        ratio = self.rules.compression.level3_ratio
        enforced = self.number >= self.rules.compression.enforced_from
        most = allowed_number(ratio, self.number) if enforced else len(asked_back)
        back: list[Revived] = []
        declined: list[UUID] = []
        for affect_memory in asked_back[:MOVED_PER_EVENT]:
            if len(back) < most and (there + 1) / (self.number + 1) <= ratio:
                back.append(
                    Revived(memory_id=affect_memory.memory_id, score=revival_score(affect_memory, night, self.rules))
                )
                there += 1
            else:
                declined.append(affect_memory.memory_id)
        return tuple(back), tuple(declined)

    def enforce(self, level: Levels, newcomers: int) -> None:
        """Lower the weakest memories of each level that exceeds its ratio (document 001, ratio enforcement).

        Level 1 comes first. `level` is changed in place. The weakest memory has the lowest retention; ties are broken
        by age, oldest first, then by fewest recalls. Memories that are revived this night count for the ratio of level
        3, but are not lowered. They are in `stays` if an earlier event of the night revived them. `newcomers` is the
        number of those that this event revives, which have no row yet.
        """
        if self.number < self.rules.compression.enforced_from:
            return
        for depth, ratio in enumerate(self.rules.ratios, start=1):
            here = (level == depth) & ~self.rows["protected"]
            there = np.flatnonzero(here & ~self.stays)
            held = int(np.count_nonzero(here)) + (newcomers if depth == ARCHIVED - 1 else 0)
            over = min(held - allowed_number(ratio, self.number), len(there))
            if over > 0:
                level[_faintest(there, self.rows, self.scores, self.table, over)] = depth + 1


def _over(cause: NightFell | NightPassed, inputs: NightInput, nights: int) -> NightPassed:
    agent, table, night = inputs.agent, inputs.table, inputs.agent.nights + nights
    protected, rows = admitted_to_protection(agent, inputs.waiting), table.rows.copy()
    rows["protected"] |= table.mask(protected)
    recalled = _first(rows["recalled"] & (rows["level"] > 0), RECALLED_PER_NIGHT if nights else 0)
    back, refused = (cause.revived, cause.declined) if isinstance(cause, NightPassed) else ((), ())
    due = (memory.memory_id for memory in inputs.forgotten if due_for_deletion(memory, night, agent.rules))
    deleted = [
        memory_id for memory_id in due if memory_id not in refused
    ]  # in a night with one event they were asked for
    came = frozenset(memory.memory_id for memory in back)
    stays = table.mask(came)
    number = agent.number - len(protected) - len(deleted)
    state = _NightState(table, rows, _scores(rows, recalled, agent, nights), stays, number, agent.rules)
    level = state.natural()
    revived, declined = state.revivals(inputs.asked_back, level, night) if nights else (back, refused)
    state.enforce(level, len(revived) if nights else 0)
    lowered, archived = _fallen(table, level)
    more = max(len(lowered), len(archived)) > MOVED_PER_EVENT
    gone = came.union(archived[:MOVED_PER_EVENT])  # A revived memory has no relations until it is compared.
    context = RelationContext(table, state.scores, gone, agent.rules.relations)
    # Memories that an earlier event of the night revived are compared in the next night, as in a night with one event.
    alike = () if more else [pair for pair in inputs.alike if came.isdisjoint(pair[:2])]
    untied, tied, whole = first_changes(relation_changes(inputs.web, alike, context), MOVED_PER_EVENT)
    fresh = () if more or not whole else [memory_id for memory_id in inputs.fresh if memory_id not in came]
    compared = tuple(fresh[:MOVED_PER_EVENT])
    return NightPassed.following(
        cause,
        date=cause.date,
        nights=nights,
        recalled=tuple(table.chosen(recalled)),
        lowered=lowered[:MOVED_PER_EVENT],
        archived=archived[:MOVED_PER_EVENT],
        revived=revived,
        declined=declined,
        protected=protected,
        untied=untied,
        tied=tied,
        compared=compared,
        deleted=tuple(deleted[:MOVED_PER_EVENT]),
        unfinished=more or not whole or max(len(deleted), len(compared)) >= MOVED_PER_EVENT,
    )


def _first(mask: NDArray[np.bool_], number: int) -> NDArray[np.bool_]:
    """Return the mask with only its first `number` true values."""
    first: NDArray[np.bool_] = mask & (np.cumsum(mask) <= number)
    return first


def _fallen(table: MemoryColumns, level: Levels) -> tuple[tuple[Lowered, ...], tuple[UUID, ...]]:
    """Return the memories that fall to level 2 or 3, and the ids of those that fall into the archive."""
    falls = level > table.rows["level"]
    lowered = [(table.ids[index], int(level[index])) for index in np.flatnonzero(falls & (level < ARCHIVED))]
    told = tuple(Lowered.model_validate({"memory_id": memory_id, "level": to}) for memory_id, to in lowered)
    return told, tuple(table.chosen(falls & (level == ARCHIVED)))


def _scores(rows: NDArray[np.void], recalled: NDArray[np.bool_], agent: AffectAgent, nights: int) -> Numbers:
    """Return the retention of every row after the night, by the same rules as the fold."""
    zero, coefficient = reinforced(
        zero=rows["zero"],
        coefficient=rows["coefficient"],
        night=agent.nights,
        nights=nights,
        rules=agent.rules,
        arithmetic=ARRAYS,
    )
    scores: Numbers = retention(
        kept=rows["kept"],
        zero=np.where(recalled, zero, rows["zero"]),
        begun=rows["begun"],
        coefficient=np.where(recalled, coefficient, rows["coefficient"]),
        night=agent.nights + nights,
        arithmetic=ARRAYS,
    )
    return scores


def revival_score(memory: AffectMemory, night: int, rules: AffectPolicy) -> float:
    """Return the retention of a memory when it is revived: its intensity, reduced for each night in the archive.

    It is at least `revival_min_margin` above the threshold of level 3.
    """
    archived = night - (night if memory.archived_night is None else memory.archived_night)
    score = memory.intensity * rules.archive.revival_decay_per_day**archived
    return max(score, rules.levels.level3_threshold + rules.archive.revival_min_margin)


def allowed_number(ratio: float, number: int) -> int:
    """Return the number of memories that a ratio of `number` allows: rounded down, at least 1 unless the ratio is 0."""
    return max(1, floor(round(ratio * number, 9))) if ratio else 0


def _faintest(
    there: NDArray[np.intp], rows: NDArray[np.void], scores: Numbers, table: MemoryColumns, number: int
) -> NDArray[np.intp]:
    bound = np.partition(scores[there], number - 1)[number - 1]
    close = there[scores[there] <= bound]
    names = np.array([table.ids[index].bytes for index in close], "S16")
    order = np.lexsort((names, rows["recall_count"][close], rows["said_at"][close], scores[close]))
    chosen: NDArray[np.intp] = close[order[:number]]
    return chosen


def due_for_deletion(memory: AffectMemory, night: int, rules: AffectPolicy) -> bool:
    """Return True if an archived memory is to be deleted (document 001, conditions of automatic deletion).

    A memory that a recall asked to revive is not deleted, so that no night both revives and deletes it.
    """
    archive = rules.archive
    if not archive.auto_delete_enabled or memory.archived_night is None or memory.asked_back_at is not None:
        return False
    return bool(
        deletable(
            archived=memory.archived_night,
            intensity=memory.intensity,
            recall_count=memory.recall_count,
            night=night,
            rules=archive,
        )
    )


def admitted_to_protection(agent: AffectAgent, waiting: Sequence[AffectMemory]) -> tuple[UUID, ...]:
    """Return the ids of the first waiting memories, as many as the limit of protected memories admits."""
    free = max(0, agent.rules.protection.max_protected_memories - agent.protected)
    return tuple(affect_memory.memory_id for affect_memory in waiting[:free])
