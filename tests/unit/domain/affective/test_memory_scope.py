"""Tests of the fold of where a memory matters, and of how often it was shown unasked."""

from typing import Any

from nemuri_contracts.affective import Concern
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_domain.affective.aggregate import MAX_IDLE_SHOWS, AffectMemory
from nemuri_domain.affective.fold import fold, touched
from nemuri_domain.affective.policy import CODING, PROFILES
from tests.unit.domain.affective import turns
from tests.unit.domain.affective.turns import defined, recorded

A, B = turns.fresh("a"), turns.fresh("b")
CONCERNS: tuple[Concern, ...] = ("user", "life", "rule", "open", "work", "trivia")


def folded(*events: AnyAgentEvent, concern: Concern = "life") -> AffectMemory:
    """Return memory A after these events."""
    first = (defined(), turns.ruled(PROFILES[CODING].differing), turns.remembered(A, concern=concern))
    return fold(recorded([*first, *events])).memories[A]


def test_a_show_without_a_recall_is_idle() -> None:
    """Each start of a session counts. A block for a prompt does not, and a recall resets the number."""
    three = [turns.shown([A, B], nth=nth) for nth in range(3)]
    assert folded(*three).idle_shows == 3
    assert folded(turns.shown([A], occasion="prompt")).idle_shows == 0
    assert folded(*three, turns.recalled([A])).idle_shows == 0
    again: list[AnyAgentEvent] = [turns.recalled([A]), *three, turns.recalled([A], nth=1)]
    assert folded(*again).idle_shows == 0, "also if it was recalled on that day before"
    many = [turns.shown([A], nth=nth) for nth in range(MAX_IDLE_SHOWS + 5)]
    assert folded(*many).idle_shows == MAX_IDLE_SHOWS


def test_what_holds_does_not_fade_by_being_shown() -> None:
    """Lasting statements about the user, rules and protected memories have their effect by being shown."""
    assert {concern: folded(turns.shown([A]), concern=concern).idle_shows for concern in CONCERNS} == {
        "user": 0, "life": 1, "rule": 0, "open": 1, "work": 1, "trivia": 1,
    }  # fmt: skip
    assert folded(turns.protection(A, protected=True), turns.shown([A])).idle_shows == 0


def test_a_person_says_whether_it_is_about_the_user() -> None:
    """A statement that is not about the user is a rule, a matter of life is work; anything can be about the user."""
    denied = {concern: folded(turns.rescoped(A, about_user=False), concern=concern) for concern in CONCERNS}
    assert [denied[concern].concern for concern in CONCERNS] == ["rule", "work", "rule", "open", "work", "trivia"]
    assert not any(affect_memory.personal for affect_memory in denied.values())
    assert {folded(turns.rescoped(A, about_user=True), concern=concern).concern for concern in CONCERNS} == {"user"}


def test_what_is_not_said_stays() -> None:
    """An event changes only what it says, and the number of idle shows begins anew."""
    before = folded(turns.shown([A]))

    def after(**said: Any) -> dict[str, Any]:
        changed = folded(turns.shown([A]), turns.rescoped(A, **said)).model_dump()
        old = before.model_dump()
        return {name: value for name, value in changed.items() if value != old[name] and name not in LOG}

    assert after(only_asked=True) == {"only_asked": True, "idle_shows": 0}
    assert after(project="example.org/oven") == {"project": "example.org/oven", "idle_shows": 0}
    assert touched(turns.rescoped(A)) == touched(turns.shown([A])) == {A}
    assert touched(turns.shown([A], occasion="prompt")) == frozenset()


LOG = ("changed", "revision")


def test_what_holds_from_now_on_fades_slowly_from_its_present_retention() -> None:
    """A memory that becomes a lasting statement keeps the retention that it has, and then fades by 0.999 a night."""
    old = turns.night(0, nights=5)
    faded, kept = folded(old, concern="work"), folded(old, turns.rescoped(A, about_user=True), concern="work")
    assert kept.retention(5) == faded.retention(5) < 60
    assert kept.retention(105) == kept.retention(5) * 0.999**100
