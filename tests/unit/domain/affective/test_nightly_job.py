"""Tests of the rules of the nightly job (document 001, contents of the nightly batch)."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from nemuri_contracts.affective import Emotion, Reading, TurnMatters
from nemuri_contracts.event import Usage
from nemuri_domain.affective import nightly_job
from nemuri_domain.affective.aggregate import DELETED, AffectAgent
from nemuri_domain.affective.nightly_job import (
    allowed_number,
    continue_night,
    decide,
    revival_score,
    work_day,
    workdays_before,
)
from nemuri_domain.affective.policy import CODING, DOCUMENT, PROFILES, AffectPolicy
from nemuri_domain.affective.turn_encoding import TurnUnderstanding, encode_turn, weighed
from tests.unit.domain.affective.lives import BEGINNING, Life, ends, living, tie
from tests.unit.domain.affective.turns import offered

STILL = 0.999999999
"""A decay coefficient so near to 1 that memories hardly decay during a test."""
ROOMY = {"compression": {"enforced_from": 1_000}}
"""Parameters under which a test has too few memories for ratios to be enforced."""


def many(life: Life, number: int, intensity: int = 90, **more: object) -> list[UUID]:
    """Create `number` memories that hardly decay, each newer than the one before, and return their ids."""
    return [life.remember(intensity, coefficient=STILL, **more) for _ in range(number)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("intensity", "level"),
    [(100, 1), (51, 1), (50, 2), (21, 2), (20, 3), (6, 3), (5, 4), (0, 4)],
)
def test_a_memory_falls_to_the_level_of_its_retention(intensity: int, level: int) -> None:
    """A memory stays at levels 1, 2 and 3 with a retention above 50, 20 and 5. At the threshold itself it is
    lowered.
    """
    life = living()
    memory = life.remember(intensity, coefficient=1 - 1e-16, days=0.0)
    life.night()
    assert life.memory(memory).level == level


def test_several_levels_fall_in_one_night() -> None:
    """A memory that falls below several thresholds is lowered once, to the last level. No memory rises by itself."""
    life = living()
    memory = life.remember(60, coefficient=0.25, days=0.0)
    assert life.night().lowered == {memory: 3}
    life.night()
    assert life.memory(memory).archived


def test_what_is_archived_stands_still_and_is_left_alone() -> None:
    """An archived memory keeps the retention of the night in which it was archived."""
    life = living()
    memory = life.remember(30, coefficient=0.1)
    assert life.night().archived == {memory}
    left = life.retention(memory)
    later = life.night(100)
    assert not later.archived
    assert life.retention(memory) == left
    assert (life.memory(memory).archived_night, life.agent.levels) == (1, (0, 0, 0, 1))


def test_what_is_protected_stays_as_it_is_and_counts_for_nothing() -> None:
    """A protected memory does not decay, and is not counted when ratios are enforced."""
    life = living()
    kept = [life.remember(1, coefficient=0.1, protection="protected") for _ in range(30)]
    others = many(life, 19)
    assert not life.night(50).lowered
    assert {life.memory(other).level for other in (*kept, *others)} == {1}
    assert (life.agent.protected, life.agent.number) == (30, 19)


def test_ratios_are_enforced_from_twenty_memories_on() -> None:
    """Ratios are enforced if there are at least twenty memories. With twenty, levels 1 to 3 may have three, six and
    seven.
    """
    life = living()
    many(life, 19)
    assert not life.night().lowered
    many(life, 1)
    life.night()
    assert life.agent.levels == (3, 6, 7, 4)


@pytest.mark.parametrize("number", [20, 21, 26, 39, 40, 41, 77, 100])
def test_a_share_is_rounded_down(number: int) -> None:
    """The allowed number of a level is rounded down, without errors of binary fractions, and is at least one."""
    assert [allowed_number(0.15, few) for few in (1, 6, 7, 13, 14)] == [1, 1, 1, 1, 2]
    caps = [15 * number // 100, 30 * number // 100, 35 * number // 100]
    assert [allowed_number(each, number) for each in (0.15, 0.30, 0.35)] == caps
    life = living()
    many(life, number)
    life.night()
    assert life.agent.levels == (*caps, number - sum(caps))


def test_the_faintest_fall_first() -> None:
    """The memories with the lowest retention are lowered first."""
    life = living()
    ordered = [life.remember(100 - each, coefficient=STILL) for each in range(20)]
    life.night()
    assert [life.memory(each).level for each in ordered] == [1] * 3 + [2] * 6 + [3] * 7 + [4] * 4


def test_among_the_equally_faint_the_oldest_fall_first() -> None:
    """Of memories with equal retention the oldest are lowered first, whatever the order of their events is."""
    life = living()
    said = [BEGINNING - timedelta(days=each) for each in range(20)]
    newest_first = [life.remember(90, coefficient=STILL, said_at=each) for each in said]
    life.night()
    assert [life.memory(each).level for each in newest_first] == [1] * 3 + [2] * 6 + [3] * 7 + [4] * 4


def test_among_the_equally_old_the_less_recalled_fall_first() -> None:
    """Of memories of equal age those with fewer recalls are lowered first; if these are equal too, by id."""
    life = living(recall={"memory_days_reduction": 1})
    memories = [life.remember(90, days=0.0, said_at=BEGINNING) for _ in range(19)]
    for times in range(1, 6):
        life.recall(*memories[:times])
        life.night()
    memories.append(life.remember(90, days=0.0, said_at=BEGINNING))
    life.recall(*memories)  # All are younger than a day, so their retention stays equal.
    life.night()
    ordered = sorted(memories, key=lambda memory: (life.memory(memory).recall_count, memory))
    assert [life.memory(memory).level for memory in ordered] == [4] * 4 + [3] * 7 + [2] * 6 + [1] * 3
    assert [life.memory(memory).recall_count for memory in ordered[-5:]] == [2, 3, 4, 5, 6]


def test_a_level_that_is_pushed_into_pushes_on() -> None:
    """A memory that ratios lower to level 2 is counted there when the ratio of level 2 is enforced."""
    life = living()
    strong, middling = many(life, 10, 90), many(life, 10, 40)
    life.night()
    assert life.agent.levels == (3, 6, 7, 4)
    # The weakest memories of level 2 are the ten of middle retention. All of them are lowered again, with one strong
    # memory.
    assert {life.memory(each).level for each in strong} == {1, 2, 3}
    assert sorted(life.memory(each).level for each in middling) == [3] * 6 + [4] * 4


def test_a_memory_that_is_asked_back_comes_back() -> None:
    """A revived memory is at level 3 and has age zero. The next night reinforces it and counts the recall, once.

    Its intensity is reduced by the nights that it spent in the archive.
    """
    life = living()
    memory = life.remember(60, coefficient=0.01)
    many(life, 9)
    life.night()
    assert life.memory(memory).archived
    life.night(9)
    life.recall(memory)
    assert life.memory(memory).asked_back_at is not None
    assert life.night().revived == {memory: pytest.approx(60 * 0.995**10)}
    found = life.memory(memory)
    assert (found.level, found.recall_count, found.recalled, found.asked_back_at) == (3, 0, True, None)
    assert found.days(life.mind.night) == 0
    assert life.retention(memory) == pytest.approx(60 * 0.995**10)
    assert (found.archived_night, found.archived_at, found.fresh) == (None, None, True)
    life.night()
    assert (life.memory(memory).recall_count, life.memory(memory).recalled) == (1, False)


def test_what_comes_back_has_enough_to_stay_a_while() -> None:
    """A revived memory has at least the threshold of level 3 plus the margin of 8 as its retention."""
    life = living()
    memory = life.remember(4)
    many(life, 9)
    life.night()
    life.recall(memory)
    assert life.night().revived == {memory: 8.0}
    assert revival_score(life.memory(memory).replace(archived_night=0, intensity=100), 1_000, AffectPolicy()) == 8.0


def test_where_level_three_is_full_nobody_comes_back() -> None:
    """A revival is declined if it would raise level 3 above its ratio, (n3 + 1) / (n + 1) > 0.35. It can be requested
    again.
    """
    life = living()
    gone = [life.remember(4) for _ in range(3)]
    traces = [life.remember(15, coefficient=STILL) for _ in range(5)]
    many(life, 9, 90)
    life.night()
    assert life.agent.levels == (9, 0, 5, 3)
    life.recall(*gone)
    # (5 + 1) / 18 is a third, (6 + 1) / 18 is more than 0.35.
    passed = life.night()
    assert passed.revived.keys() == {gone[0]}
    assert passed.declined == {*gone[1:]}
    assert life.memory(gone[1]).asked_back_at is None
    assert not life.night().revived
    life.protect(traces[0])
    life.recall(gone[1])
    assert life.night().declined == {gone[1]}
    life.protect(traces[1])
    life.recall(gone[1])
    assert life.night().revived.keys() == {gone[1]}


def test_the_room_is_counted_after_natural_fading_and_before_ratios_are_enforced() -> None:
    """For revivals, memories that decay to level 3 in this nightly job count in level 3. Memories lowered by ratios do
    not.
    """
    life = living()
    gone = life.remember(4)
    many(life, 19, 90)
    life.night()
    assert life.agent.levels == (3, 6, 7, 4)
    life.recall(gone)
    assert life.night().declined == {gone}


def test_what_comes_back_does_not_fall_again_the_same_night() -> None:
    """A memory revived in this nightly job is not lowered in it. If level 3 then exceeds its ratio, others are
    lowered.
    """
    life = living(compression={"level1_ratio": 0.05, "level2_ratio": 0.05})
    gone = life.remember(4)
    for _ in range(10):
        life.remember(4)
    many(life, 8, 90)
    life.night()
    assert life.agent.levels == (8, 0, 0, 11)
    life.recall(gone)
    many(life, 12, 90)
    passed = life.night()
    assert passed.revived.keys() == {gone}
    assert gone not in passed.archived
    assert life.memory(gone).level == 3
    assert life.agent.levels[2] == allowed_number(0.35, 31)


def test_what_comes_back_alone_does_not_exceed_the_ratio() -> None:
    """Of eight memories asked back, seven come back: 7 of 22 are at most 0.35, and nothing else at level 3 can give way
    to an eighth, although (7 + 1) / (22 + 1) is at most 0.35.
    """
    life = living()
    gone = [life.remember(4) for _ in range(16)]
    many(life, 6, 40)
    life.night()
    assert life.agent.levels == (0, 6, 0, 16)
    life.recall(*gone[:8])
    passed = life.night()
    assert (len(passed.revived), len(passed.declined)) == (7, 1)
    assert life.agent.levels == (0, 6, 7, 9)


def test_nothing_is_deleted_unless_that_is_switched_on() -> None:
    """By default no memory is deleted."""
    life = living()
    life.remember(4)
    life.night()
    assert not life.night(1_000).deleted


@pytest.mark.parametrize(
    ("archive", "deleted"),
    [
        ({}, {"faint"}),
        ({"delete_max_intensity": 40}, {"faint", "strong"}),
        ({"delete_require_zero_recall": False}, {"faint", "recalled"}),
        ({"retention_days": 366}, set()),
        ({"delete_condition_mode": "OR", "retention_days": 366}, {"faint", "strong", "recalled"}),
        ({"delete_condition_mode": "OR", "retention_days": 366, "delete_require_zero_recall": False},
         {"faint", "recalled"}),
        ({"delete_condition_mode": "OR", "retention_days": 366, "delete_max_intensity": 0}, {"faint", "strong"}),
    ],
)  # fmt: skip
def test_the_archive_is_cleared_by_its_conditions(archive: dict[str, object], deleted: set[str]) -> None:
    """A memory is deleted by three conditions, joined by AND or OR: archived for over 365 days, no recalls, intensity
    below 20.
    """
    life = living(archive={"auto_delete_enabled": True} | archive, recall={"decay_coefficient_boost": 0})
    memories = {
        "faint": life.remember(19, coefficient=0.1),
        "strong": life.remember(39, coefficient=0.05),
        "recalled": life.remember(19, coefficient=1e-9),
        "protected": life.remember(1, coefficient=0.1, protection="protected"),
        "active": life.remember(90, coefficient=STILL),
    }
    life.recall(memories["recalled"])
    first = life.night()
    assert first.archived == {memories[each] for each in ("faint", "strong", "recalled")}
    passed = life.night(366)
    assert {name for name, each in memories.items() if each in passed.deleted | first.deleted} == deleted
    assert {name for name, each in memories.items() if life.memory(each).level == DELETED} == deleted


def test_a_year_in_the_archive_is_not_yet_more_than_a_year() -> None:
    """A memory that was archived exactly 365 days ago is not deleted."""
    life = living(archive={"auto_delete_enabled": True})
    memory = life.remember(4)
    life.night()
    assert not life.night(365).deleted
    assert life.night().deleted == {memory}


def test_what_is_asked_back_is_not_deleted_in_the_same_night() -> None:
    """A memory whose revival is requested is first revived or declined. It is deleted in the next nightly job at the
    earliest.
    """
    life = living(archive={"auto_delete_enabled": True})
    back, declined = life.remember(4), life.remember(4)
    life.night(1)
    life.night(365)
    life.recall(back, declined)
    passed = life.night()
    assert ({*passed.revived}, passed.declined) == ({back}, {declined})
    assert not passed.deleted
    assert life.night().deleted == {declined}


def test_ratios_are_shares_of_what_is_left_after_deletion() -> None:
    """Ratios are computed from the number of memories that are left after deletion."""
    life = living(archive={"auto_delete_enabled": True})
    for _ in range(40):
        life.remember(4)
    life.night()
    life.night(364)
    many(life, 20)
    life.night()
    assert life.agent.levels == (9, 11, 0, 40)
    assert len(life.night().deleted) == 40
    assert life.agent.levels == (3, 6, 7, 4)


def test_whom_protection_waited_for_is_protected_before_anything_falls() -> None:
    """Memories that wait for protection get it, oldest first and up to the limit, before any memory is lowered."""
    life = living(protection={"max_protected_memories": 2})
    first = life.remember(90, protection="protected")
    waiting = [life.remember(4, protection="asked") for _ in range(3)]
    passed = life.night()
    assert [each for part in passed.parts for each in part.protected] == [waiting[0]]
    assert (life.memory(waiting[0]).protection, life.memory(waiting[0]).level) == ("protected", 1)
    assert passed.archived == {*waiting[1:]}
    assert (life.agent.protected, life.agent.number) == (2, 2)
    assert life.memory(first).protected


def test_relations_to_what_is_gone_end() -> None:
    """Relations of archived and erased memories are removed in both directions."""
    life = living()
    one, other, faint, gone = many(life, 1)[0], many(life, 1)[0], life.remember(4), many(life, 1)[0]
    ties = [tie(one, faint), tie(faint, other, "continues"), tie(one, gone), tie(other, one, "references")]
    life.remember(90, coefficient=STILL)
    life.tie(*ties)
    life.erase(gone)
    passed = life.night()
    assert ends(passed.untied) == {(one, faint), (faint, other)}
    assert {each for each, memory in life.mind.memories.items() if memory.relations} == {other}


def test_a_relation_turns_when_the_other_end_is_stronger_by_then() -> None:
    """A relation leads from the memory with higher retention to the one with lower retention, and is turned if that
    changes.

    If the two differ by 5 or less, it leads from the newer to the older.
    """
    life = living(**ROOMY)
    fading = life.remember(90, coefficient=0.9, days=0.0)
    steady = life.remember(80, coefficient=STILL, days=0.0)
    close = life.remember(82, coefficient=STILL, days=0.0)
    life.remember(10)
    life.tie(tie(fading, steady, "continues"), tie(steady, close))
    passed = life.night(2)
    assert ends(passed.untied) == {(fading, steady), (steady, close)}
    assert ends(passed.tied) == {(steady, fading), (close, steady)}
    assert life.memory(steady).relations[0].sort == "continues"
    assert not life.night().tied


def test_a_relation_that_would_be_there_twice_is_there_once() -> None:
    """A relation that would be turned is removed instead if the turned relation exists already."""
    life = living(**ROOMY)
    strong, weak = life.remember(90, coefficient=STILL), life.remember(30, coefficient=STILL)
    life.remember(50)
    life.tie(tie(strong, weak), tie(weak, strong))
    passed = life.night()
    assert (ends(passed.untied), passed.tied) == ({(weak, strong)}, [])


def test_new_and_changed_memories_are_tied_to_what_is_like_them() -> None:
    """New and changed memories get a relation `same_topic` with each memory whose similarity is at least that of the
    policy, once per pair.
    """
    life = living(**ROOMY, relations={"auto_link_similarity_threshold": 0.85})
    strong, weak, apart = (life.remember(each, coefficient=STILL) for each in (90, 40, 60))
    alike = [(weak, strong, 0.9), (strong, weak, 0.9), (weak, weak, 1.0), (apart, strong, 0.84)]
    passed = life.night(alike=alike)
    assert passed.tied == [tie(strong, weak)]
    assert not any(life.memory(each).fresh for each in (strong, weak, apart))
    assert not life.night(alike=[(apart, weak, 0.99)]).tied


def test_nobody_holds_more_relations_than_allowed() -> None:
    """A memory holds at most ten relations, to the most similar memories. No relation is turned if its new holder has
    ten.
    """
    life = living(**ROOMY)
    hub, others = life.remember(100, coefficient=STILL), [life.remember(50, coefficient=STILL) for _ in range(12)]
    alike = [(each, hub, 0.86 + number / 100) for number, each in enumerate(others)]
    passed = life.night(alike=alike)
    assert ends(passed.tied) == {(hub, other) for other in others[2:]}
    late = life.remember(70, coefficient=STILL)
    life.tie(tie(others[0], hub))
    assert not life.night().untied
    assert (hub, late) not in ends(life.night(alike=[(late, hub, 0.99)]).tied)


def test_auto_linking_can_be_switched_off() -> None:
    """Without auto-linking no relations are added, but existing ones are still turned and removed."""
    life = living(relations={"enable_auto_linking": False})
    one, other = many(life, 2)
    assert not life.night(alike=[(one, other, 0.99)]).tied


def test_days_that_an_earlier_night_counted_are_not_counted_again() -> None:
    """If two nightly jobs start before the first is decided, the second does not count the days of the first again."""
    life = living(**ROOMY)
    memory = life.remember(90, days=0.0)
    life.night()
    first, second = life.fall(), life.fall()
    life.pass_(decide(first, life.evening()))
    life.pass_(decide(second.model_copy(update={"nights": 2}), life.evening()))
    assert life.mind.night == 3
    assert life.memory(memory).days(life.mind.night) == 3


def test_a_policy_is_in_force_at_once_before_the_first_night_and_from_the_next_night_on_later() -> None:
    """New parameters apply at once before the first nightly job. Later they apply from the next nightly job on."""
    life = living(levels={"level1_threshold": 95})
    first = life.remember(90, coefficient=STILL)
    assert life.night().lowered == {first: 2}
    life.adopt(levels={"level1_threshold": 60})
    second = life.remember(90, coefficient=STILL)
    assert second not in life.night().lowered, "what is switched off by day happens in no night after it"


def test_a_night_that_has_too_much_to_do_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A nightly job with many changes is divided into events of limited size. Its days count once.

    A job that is followed by a later one is not continued.
    """
    monkeypatch.setattr(nightly_job, "MOVED_PER_EVENT", 3)
    life = living()
    many(life, 60)
    passed = life.night()
    assert [part.nights for part in passed.parts] == [1] + [0] * (len(passed.parts) - 1)
    assert [part.unfinished for part in passed.parts] == [True] * (len(passed.parts) - 1) + [False]
    assert all(max(map(len, (part.lowered, part.archived, part.compared))) <= 3 for part in passed.parts)
    assert life.agent.levels == (9, 18, 21, 12)
    assert life.mind.night == 1
    many(life, 60)
    fell = life.fall()
    unfinished = life.pass_(decide(fell, life.evening()))
    life.pass_(decide(life.fall(), life.evening()))
    assert unfinished.unfinished
    assert continue_night(unfinished, life.evening()) is None


def test_parameters_do_not_change_in_the_middle_of_a_night(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters that are adopted while a nightly job runs apply from the next job on."""
    monkeypatch.setattr(nightly_job, "MOVED_PER_EVENT", 3)
    life = living()
    life.night()
    many(life, 40)
    fell = life.fall()
    life.take(fell)
    passed = life.pass_(decide(fell, life.evening()))
    life.adopt(compression={"level1_ratio": 0.0})
    while (more := continue_night(passed, life.evening())) is not None:
        passed = life.pass_(more)
    assert life.agent.levels == (6, 12, 14, 8)
    life.night()
    assert life.agent.levels[0] == 0


def test_workdays_are_counted_from_the_hour_of_the_night() -> None:
    """A workday begins at the hour of the nightly job. A night closes the workdays before its date."""
    at = datetime(2026, 3, 2, 2, 59, tzinfo=UTC)
    days = {work_day(at, 3), work_day(at + timedelta(minutes=1), 3), work_day(at + timedelta(hours=20), 3)}
    assert days == {date(2026, 3, 1), date(2026, 3, 2)}
    assert [workdays_before(date(2026, 3, each), days) for each in (1, 2, 3, 9)] == [0, 1, 2, 2]


def test_errors_make_a_turn_more_intense_if_the_policy_says_so() -> None:
    """A turn with errors has a higher intensity under the coding profile, at most 100, and the document's none."""
    failed, quiet = TurnMatters(errors=("Exit code 1",)), TurnMatters(commands=("ls",))
    reading = Reading(intensity=33, emotion=Emotion(), category="work", keywords=(), trigger="x", content="y")
    high = reading.model_copy(update={"intensity": 95})
    coding, document = PROFILES[CODING], PROFILES[DOCUMENT]
    assert [weighed(reading, each, coding).intensity for each in (failed, quiet)] == [43, 33]
    assert weighed(high, failed, coding).intensity == 100
    assert weighed(reading, failed, document).intensity == 33


def test_what_is_said_about_the_user_lasts_in_the_coding_profile() -> None:
    """What is lastingly said about the user is more intense under the coding profile, and holds for years, as a rule
    does. What the user is going through fades like any other memory of its category.
    """
    said = Reading(
        intensity=19, emotion=Emotion(), category="casual", keywords=(), trigger="tea", content="", concern="user"
    )
    coding, document = PROFILES[CODING], PROFILES[DOCUMENT]
    found = weighed(said, TurnMatters(), coding)
    assert found.intensity == 39
    assert coding.retention.coefficient_of(found) == coding.retention.standing_coefficient == 0.999
    rule, passing = (said.model_copy(update={"concern": each}) for each in ("rule", "life"))
    assert weighed(rule, TurnMatters(), coding) == rule
    assert coding.retention.coefficient_of(rule) == 0.999
    assert weighed(passing, TurnMatters(), coding) == passing
    assert coding.retention.coefficient_of(passing) == coding.retention.coefficient("casual", 19)
    assert weighed(said, TurnMatters(), document) == said
    assert document.retention.coefficient_of(said) == document.retention.coefficient("casual", 19)


def test_a_turn_is_as_old_as_the_platforms_clock_says() -> None:
    """If the platform's clock is ahead, a turn of now is a turn of its present day. A time that is ahead stays."""
    now = datetime(2026, 3, 2, 15, tzinfo=UTC)
    agent = AffectAgent(agent_id="a", defined_at=now, nights=20, last_night=date(2026, 3, 22))
    reading = Reading(intensity=33, emotion=Emotion(), category="work", keywords=(), trigger="x", content="y")
    made = TurnUnderstanding(reading, Usage(model="lexicon"), "v", ())

    def remembered(said_at: datetime) -> tuple[str, float]:
        turn = offered(uuid4(), "x").model_copy(update={"said_at": said_at, "ended_at": now, "recorded_at": now})
        event = encode_turn(turn, agent, made, 1, UTC, timedelta(days=20))
        return event.label, event.days

    assert remembered(now) == ("mem_20260322_001", 0.5)
    assert remembered(now + timedelta(days=19)) == ("mem_20260321_001", 0.5)
