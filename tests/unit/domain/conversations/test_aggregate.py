"""Turns that are sent again are recognised, however much of a conversation is sent."""

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.conversations import STRETCH_TURNS, ConversationTurn, TurnsSaid
from nemuri_domain.conversations.aggregate import REMEMBERED_DIGESTS, Conversation, evolve, fresh_turns


def turns(*texts: str) -> list[ConversationTurn]:
    """Return turns of a user with these texts, with positions from 0."""
    return [ConversationTurn(position=number, role="user", text=text) for number, text in enumerate(texts)]


def said(*texts: str) -> Conversation:
    """Return a conversation after these texts, which were handed over in stretches."""
    known, every = Conversation(), turns(*texts)
    for start in range(0, len(every), STRETCH_TURNS):
        some = tuple(every[start : start + STRETCH_TURNS])
        known = evolve(known, TurnsSaid(event_id=uuid4(), agent_id="python", conversation="chat", turns=some))
    return known


def fresh(texts: list[str], known: Conversation) -> list[str]:
    """Return the texts that are new."""
    return [turn.text for turn in fresh_turns(turns(*texts), known)]


TEXTS = st.lists(st.sampled_from(["yes", "no", "and then?", "I live in Oslo."]), min_size=1, max_size=12)


@given(TEXTS, TEXTS)
def test_a_whole_conversation_sent_again_brings_only_what_is_new(before: list[str], after: list[str]) -> None:
    """After a conversation, the same conversation with more turns has only these as new ones, with the next
    positions.
    """
    known = said(*before)
    new = fresh_turns(turns(*before, *after), known)
    assert [turn.text for turn in new] == after
    assert [turn.position for turn in new] == list(range(len(before), len(before) + len(after)))


@given(TEXTS)
def test_nothing_is_new_in_what_was_just_said(texts: list[str]) -> None:
    """The last turns of a conversation sent again are not new."""
    known = said("Hello, I am Ann.", *texts)
    assert fresh(texts, known) == []


def test_a_window_that_overlaps_brings_its_end() -> None:
    """The last messages with a new one at the end bring the new one."""
    assert fresh(["b", "c", "d"], said("a", "b", "c")) == ["d"]


def test_what_overlaps_nowhere_is_all_new() -> None:
    """Turns that the conversation does not end with are new, also if they were said long ago."""
    assert fresh(["a", "x"], said("a", "b", "c")) == ["a", "x"]


def test_a_long_conversation_is_recognised_as_a_whole() -> None:
    """A conversation with more turns than digests are kept is recognised by the digest of all."""
    many = [f"turn {number}" for number in range(REMEMBERED_DIGESTS + 50)]
    known = said(*many)
    assert len(known.digests) == REMEMBERED_DIGESTS
    assert fresh([*many, "new"], known) == ["new"]


def test_who_said_it_and_when_matters() -> None:
    """The same words of another speaker are new."""
    known = said("yes")
    other = ConversationTurn(position=0, role="assistant", text="yes")
    assert fresh_turns([other], known) == [other.model_copy(update={"position": 1})]
