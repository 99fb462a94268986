"""What an answer may draw on: passages, budgets of tokens, and BM25 over turns."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from nemuri.evaluation.benchmark import Conversation, History, Message
from nemuri.evaluation.contexts import Baselines, Passage, turns, within

AT = datetime(2026, 5, 3, 9, tzinfo=UTC)
HISTORY = History(
    "h",
    (
        Conversation(
            "a", (Message("The ferry leaves at nine.", speaker="Ann", at=AT), Message("Thanks!", "assistant"))
        ),
        Conversation("b", (Message("My greyhound eats ferries and ferries.", speaker="Bob", at=AT),)),
    ),
    (),
)


def test_a_turn_says_who_said_it_and_when() -> None:
    """A passage begins with speaker and time, and has the place of its message."""
    first, second, third = turns(HISTORY)
    assert first.text == "Ann 3 May 2026 9:00 am: The ferry leaves at nine."
    assert second.text == "assistant: Thanks!"
    assert [passage.place for passage in (first, second, third)] == [("a", 0), ("a", 1), ("b", 0)]
    assert first.tokens > second.tokens > 0


def test_bm25_finds_turns_by_their_words() -> None:
    """Only turns with a word of the query are found, the one that is more about it first."""
    found = Baselines.of(HISTORY).ranked("When does the ferry leave, Ann?", 10)
    assert [passage.place for passage in found] == [("a", 0), ("b", 0)]
    assert found[0].why.startswith("BM25 ")
    assert Baselines.of(HISTORY).ranked("ferry", 1)[0].place == ("b", 0)
    assert Baselines.of(HISTORY).ranked("?", 10) == []


@given(st.lists(st.integers(1, 50)), st.integers(0, 200))
def test_what_is_shown_fits(sizes: list[int], tokens: int) -> None:
    """Passages that are shown fit together, in their order; one that is left out did not fit in its turn."""
    passages = [Passage(str(number), size) for number, size in enumerate(sizes)]
    shown = within(passages, tokens)
    assert sum(passage.tokens for passage in shown) <= tokens
    assert [int(passage.text) for passage in shown] == sorted(int(passage.text) for passage in shown)
    for out in (passage for passage in passages if passage not in shown):
        before = sum(passage.tokens for passage in shown if int(passage.text) < int(out.text))
        assert before + out.tokens > tokens
