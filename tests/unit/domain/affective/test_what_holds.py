"""Tests of the order of memories that say different things about the same matter: what holds now comes first."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from nemuri_domain.affective.aggregate import AffectMemory
from nemuri_domain.affective.context_block import ContextBlock
from nemuri_domain.affective.retrieval import RankedMemory, RetrievedMemory
from nemuri_domain.affective.what_holds import Related, what_holds_first, without_outdated
from tests.unit.domain.affective.test_retrieval import LONG_AGO, found, remembered

STRIPE = ("Which payment provider do we take for the shop?", "We decided: Stripe is the payment provider of the shop.")
SQUARE = (
    "Payment provider of the shop: let's switch.",
    "Changed: Square is now the payment provider of the shop instead of Stripe.",
)


def memory(number: int, said: tuple[str, str] = ("a", "b"), **more: object) -> AffectMemory:
    """Return a memory of day `number`."""
    fields = {
        "label": f"mem_{number}", "said_at": LONG_AGO + timedelta(days=number), "trigger": said[0], "content": said[1],
        "turn_id": UUID(int=100 + number),
    }  # fmt: skip
    return remembered(number, **(fields | more))


def told(*memories: AffectMemory) -> list[RetrievedMemory]:
    """Return memories that were retrieved for the same prompt, with equal scores."""
    return [RetrievedMemory(each, RankedMemory(replace(found(1), memory_id=each.memory_id))) for each in memories]


def shown(some: list[RetrievedMemory]) -> list[tuple[int, int | None]]:
    """Return the number of each memory, with the number of the one that replaced it."""
    return [(each.memory.memory_id.int, each.replaced_by.memory_id.int if each.replaced_by else None) for each in some]


def test_the_newer_of_two_contradicting_memories_comes_first() -> None:
    """A relation `contradicts` decides the order by the times, whatever its direction and the scores."""
    old, new, other = memory(1), memory(2), memory(3)
    near: Related = {old.memory_id: [(new, "contradicts")], new.memory_id: [(old, "contradicts")]}
    assert shown(what_holds_first(told(other, old, new), near, ())) == [(3, None), (2, None), (1, 2)]
    near = {old.memory_id: [(new, "references")]}
    assert shown(what_holds_first(told(old, new), near, ())) == [(1, None), (2, None)]


def test_a_newer_memory_that_was_not_found_is_added() -> None:
    """The newer memory is shown with the older one, unless it is known, archived, or of another project."""
    old, new = memory(1), memory(2)
    near: Related = {old.memory_id: [(new, "contradicts")]}
    first, _ = what_holds_first(told(old), near, ())
    assert (first.memory, first.relation) == (new, "contradicts")
    assert shown(what_holds_first(told(old), near, (new.turn_id,))) == [(1, 2)]
    for more in ({"level": 4}, {"project": "elsewhere"}):
        away: Related = {old.memory_id: [(memory(2, **more), "contradicts")]}
        assert shown(what_holds_first(told(old), away, (), ("here",))) == [(1, 2)]


def test_a_chain_of_decisions_is_shown_from_the_newest() -> None:
    """Of several that replaced each other, the newest comes first, and each names the next one."""
    first, second, third = memory(1), memory(2), memory(3)
    near: Related = {first.memory_id: [(second, "contradicts")], second.memory_id: [(third, "contradicts")]}
    assert shown(what_holds_first(told(first), {**near, third.memory_id: []}, ())) == [(2, None), (1, 2)]
    assert shown(what_holds_first(told(first, third, second), near, ())) == [(3, None), (2, 3), (1, 2)]


def test_without_a_relation_the_words_decide() -> None:
    """Two statements about the same thing, of which the newer one says that it changed, are ordered by time."""
    old, new = memory(1, STRIPE), memory(2, SQUARE)
    assert shown(what_holds_first(told(old, new), {}, ())) == [(2, None), (1, 2)]
    unlike = memory(3, ("The login is slow", "bcrypt with a cost of 14 took most of the time; it is 12 now."))
    assert shown(what_holds_first(told(old, unlike), {}, ())) == [(1, None), (3, None)]


def test_the_block_says_until_when_something_held() -> None:
    """The entry of a replaced memory names the day and the label of the newer one."""
    block = ContextBlock("a")
    block.fill(what_holds_first(told(memory(1, STRIPE), memory(2, SQUARE)), {}, ()))
    newer, older = (line for line in block.text.splitlines() if line.startswith("- ["))
    assert newer.startswith("- [2026-01-20][L1][mem_2] Payment provider")
    assert older.startswith("- [2026-01-19][L1][mem_1][held until 2026-01-20, see mem_2] Which payment provider")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("今後は日本語で答えて", "これからは英語で答えて"),
        ("Call me Kim, please.", "Please call me Kimberly from now on."),
        ("私は大阪に住んでいます", "私は京都に引っ越しました"),
        ("I work in the mornings, from six to noon.", "I work in the evenings now."),
    ],
)
def test_an_outdated_preference_is_not_shown(before: str, after: str) -> None:
    """The older of two statements about the user is left out if the newer one says that it changed."""
    old, new = memory(1, (before, "OK."), concern="user"), memory(2, (after, "OK."), concern="user")
    other = memory(3, ("I'm vegetarian.", "OK."), concern="user")
    assert without_outdated([old, new, other]) == [new, other]
    assert without_outdated([old, other]) == [old, other]


def test_preferences_about_other_things_stay() -> None:
    """Statements about the user that say different things of different matters are all shown, and work is not judged
    by its words.
    """
    said = (
        "今後は日本語で答えて",
        "今後は絵文字を使わないで",
        "I prefer tabs in my code.",
        "I now prefer dark themes everywhere.",
    )
    kept = [memory(number, (each, "OK."), concern="user") for number, each in enumerate(said, 1)]
    assert without_outdated(kept) == kept
    work = [memory(1, STRIPE), memory(2, SQUARE)]
    assert without_outdated(work) == work
