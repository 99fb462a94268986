"""What a night does, decided from what the agent knows now (document 001, contents of the nightly batch)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import floor
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import Lowered, NightFell, NightPassed, Revived
from nemuri_domain.affective.aggregate import ARCHIVED, AffectAgent, AffectMemory
from nemuri_domain.affective.memory_columns import Ledger
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.relations import Alike, Standing, Web, mended, within

RECALLED = 10_000
"""Recalls that one night reinforces, so that they fit its event; whoever is left is reinforced by the next."""
AT_ONCE = 2_000
"""At most so many memories of each sort move in one event; another goes on with the rest."""
Numbers = NDArray[np.float64]
Levels = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Evening:
    """What a night has to look at."""

    agent: AffectAgent
    ledger: Ledger
    """All active memories."""
    asked_back: Sequence[AffectMemory] = ()
    """Archived ones that are asked back, in the order in which they were."""
    forgotten: Sequence[AffectMemory] = ()
    """Archived ones of which some may be due to be deleted; all that are, are among them."""
    waiting: Sequence[AffectMemory] = ()
    """Those that wait for protection, oldest first."""
    web: Web = field(default_factory=tuple)
    """The relations that active memories hold."""
    fresh: Sequence[UUID] = ()
    """New and changed memories, which are compared with all others now."""
    alike: Sequence[Alike] = ()
    """Which of them are how similar to which others, where that is above the threshold."""


def evening_of(now: datetime, hour: int) -> datetime:
    """The newest moment up to now at which a night was due, in the zone of `now`."""
    due = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    return due if due <= now else due - timedelta(days=1)


def first_days(ended: datetime, hour: int) -> float:
    """The age of a memory that begins: the share of a day from the session's end to the next night."""
    return (evening_of(ended, hour) + timedelta(days=1) - ended) / timedelta(days=1)


def decide(cause: NightFell, evening: Evening) -> NightPassed:
    """The night that has come; days that an earlier one counted already are not counted again."""
    last = evening.agent.last_night
    return _over(cause, evening, cause.nights if last is None else max(1, (cause.date - last).days))


def go_on(passed: NightPassed, evening: Evening) -> NightPassed | None:
    """What an unfinished night had no room for; None where it had, or another night has come since."""
    if not passed.unfinished or evening.agent.last_night_by != passed.sequence:
        return None
    return _over(passed, evening, 0)


@dataclass(frozen=True, slots=True)
class _Dark:
    """The active memories in the middle of a night."""

    ledger: Ledger
    rows: NDArray[np.void]
    """As in the ledger, but for those that are protected from this night on."""
    scores: Numbers
    """Their retention once the night is over."""
    stays: NDArray[np.bool_]
    """Those that an earlier part of the night brought back."""
    number: int
    """What ratios are shares of, once the night is over."""
    rules: AffectPolicy

    def natural(self) -> Levels:
        """The levels that retention asks for; none rises, and what is protected or just came back stays."""
        held = self.rows["level"]
        asked = 1 + sum((self.scores <= each).astype(np.int8) for each in self.rules.thresholds)
        free = (held > 0) & ~self.rows["protected"] & ~self.stays
        levels: Levels = np.where(free, np.maximum(held, asked), held).astype(np.int8)
        return levels

    def revivals(
        self, asked_back: Sequence[AffectMemory], level: Levels, night: int
    ) -> tuple[tuple[Revived, ...], tuple[UUID, ...]]:
        """Which of those that are asked back come back, as long as level 3 has room for them (document 001, revival).

        A night answers `AT_ONCE` of them; whoever asked later waits for the next.
        """
        there = int(np.count_nonzero((level == ARCHIVED - 1) & ~self.rows["protected"]))
        back: list[Revived] = []
        declined: list[UUID] = []
        for each in asked_back[:AT_ONCE]:
            if (there + 1) / (self.number + 1) <= self.rules.compression.level3_ratio:
                back.append(Revived(memory_id=each.memory_id, score=revival_score(each, night, self.rules)))
                there += 1
            else:
                declined.append(each.memory_id)
        return tuple(back), tuple(declined)

    def enforce(self, level: Levels, newcomers: int) -> None:
        """Lower the faintest of each level that holds more than its share, from level 1 down (ratio enforcement).

        In the order of retention, then of age, then of recalls. What comes back this night counts, and stays:
        `newcomers` that have no row yet, and rows of an earlier part of the night.
        """
        if self.number < self.rules.compression.enforced_from:
            return
        for each, ratio in enumerate(self.rules.ratios, start=1):
            here = (level == each) & ~self.rows["protected"]
            there = np.flatnonzero(here & ~self.stays)
            held = int(np.count_nonzero(here)) + (newcomers if each == ARCHIVED - 1 else 0)
            over = min(held - share(ratio, self.number), len(there))
            if over > 0:
                level[_faintest(there, self.rows, self.scores, self.ledger, over)] = each + 1


def _over(cause: NightFell | NightPassed, evening: Evening, nights: int) -> NightPassed:
    agent, ledger, night = evening.agent, evening.ledger, evening.agent.nights + nights
    protected, rows = admitted(agent, evening.waiting), ledger.rows.copy()
    rows["protected"] |= ledger.mask(protected)
    recalled = _first(rows["recalled"] & (rows["level"] > 0), RECALLED if nights else 0)
    deleted = [each.memory_id for each in evening.forgotten if due(each, night, agent.rules)]
    back = cause.revived if isinstance(cause, NightPassed) else ()
    came = frozenset(each.memory_id for each in back)
    stays = ledger.mask(came)
    number = agent.number - len(protected) - len(deleted)
    dark = _Dark(ledger, rows, _scores(rows, recalled, agent, nights), stays, number, agent.rules)
    level = dark.natural()
    revived, declined = dark.revivals(evening.asked_back, level, night) if nights else (back, ())
    dark.enforce(level, len(revived) if nights else 0)
    lowered, archived = _fallen(ledger, level)
    more = max(len(lowered), len(archived)) > AT_ONCE
    standing = Standing(ledger, dark.scores, frozenset(archived[:AT_ONCE]), agent.rules.relations)
    # What came back in an earlier part is compared in the next night, as it is where one event holds all.
    alike = () if more else [each for each in evening.alike if came.isdisjoint(each[:2])]
    untied, tied, whole = within(mended(evening.web, alike, standing), AT_ONCE)
    fresh = () if more or not whole else [each for each in evening.fresh if each not in came]
    looked_at = tuple(fresh[:AT_ONCE])
    return NightPassed.following(
        cause,
        date=cause.date,
        nights=nights,
        recalled=tuple(ledger.chosen(recalled)),
        lowered=lowered[:AT_ONCE],
        archived=archived[:AT_ONCE],
        revived=revived,
        declined=declined,
        protected=protected,
        untied=untied,
        tied=tied,
        looked_at=looked_at,
        deleted=tuple(deleted[:AT_ONCE]),
        unfinished=more or not whole or max(len(deleted), len(looked_at)) >= AT_ONCE,
    )


def _first(mask: NDArray[np.bool_], number: int) -> NDArray[np.bool_]:
    """The first so many of a mask."""
    first: NDArray[np.bool_] = mask & (np.cumsum(mask) <= number)
    return first


def _fallen(ledger: Ledger, level: Levels) -> tuple[tuple[Lowered, ...], tuple[UUID, ...]]:
    """Which memories are at a lower level now, and which are archived."""
    falls = level > ledger.rows["level"]
    lowered = [(ledger.ids[place], int(level[place])) for place in np.flatnonzero(falls & (level < ARCHIVED))]
    told = tuple(Lowered.model_validate({"memory_id": each, "level": to}) for each, to in lowered)
    return told, tuple(ledger.chosen(falls & (level == ARCHIVED)))


def _scores(rows: NDArray[np.void], recalled: NDArray[np.bool_], agent: AffectAgent, nights: int) -> Numbers:
    """The retention of every row once the night is over, as the fold will have it."""
    recall, most = agent.rules.recall, agent.rules.retention.max_decay_coefficient
    days = agent.nights - rows["zero"]
    halved = days * (1 - recall.memory_days_reduction) + max(0, nights - 1)
    boosted = np.maximum(rows["coefficient"], np.minimum(most, rows["coefficient"] + recall.decay_coefficient_boost))
    coefficient = np.where(recalled, boosted, rows["coefficient"])
    scores: Numbers = rows["kept"] * coefficient ** np.where(recalled, halved, days + nights)
    return scores


def revival_score(memory: AffectMemory, night: int, rules: AffectPolicy) -> float:
    """What a memory comes back with: its intensity, less for each night in the archive, and enough to stay a while."""
    archived = night - (night if memory.archived_night is None else memory.archived_night)
    score = memory.intensity * rules.archive.revival_decay_per_day**archived
    return max(score, rules.levels.level3_threshold + rules.archive.revival_min_margin)


def share(ratio: float, number: int) -> int:
    """Return how many of a number a ratio allows: rounded down, so that none is exceeded; at least one but of 0."""
    return max(1, floor(round(ratio * number, 9))) if ratio else 0


def _faintest(
    there: NDArray[np.intp], rows: NDArray[np.void], scores: Numbers, ledger: Ledger, number: int
) -> NDArray[np.intp]:
    bound = np.partition(scores[there], number - 1)[number - 1]
    close = there[scores[there] <= bound]
    names = np.array([ledger.ids[place].bytes for place in close], "S16")
    order = np.lexsort((names, rows["recall_count"][close], rows["said_at"][close], scores[close]))
    chosen: NDArray[np.intp] = close[order[:number]]
    return chosen


def due(memory: AffectMemory, night: int, rules: AffectPolicy) -> bool:
    """Whether an archived memory is to be deleted (document 001, conditions of automatic deletion).

    Not while it is asked back, so that no night revives and deletes the same.
    """
    archive = rules.archive
    if not archive.auto_delete_enabled or memory.archived_night is None or memory.asked_back_at is not None:
        return False
    told = [night - memory.archived_night > archive.retention_days, memory.intensity < archive.delete_max_intensity]
    if archive.delete_require_zero_recall:
        told.append(memory.recall_count == 0)
    return all(told) if archive.delete_condition_mode == "AND" else any(told)


def admitted(agent: AffectAgent, waiting: Sequence[AffectMemory]) -> tuple[UUID, ...]:
    """Those of the waiting for whose protection there is room."""
    free = max(0, agent.rules.protection.max_protected_memories - agent.protected)
    return tuple(each.memory_id for each in waiting[:free])
