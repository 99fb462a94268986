"""Tests of which memories are strong in a perspective."""

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_domain.strength.agent_topics import TopicSource
from nemuri_domain.strength.perspective_memories import MOST, PerspectiveMemory, perspective_memories


def memory(text: str, **strengths: float) -> TopicSource:
    """Return a memory with these strengths by perspective."""
    return TopicSource((), text, 1.0, strengths)


def test_a_memory_belongs_to_the_perspectives_where_it_gained_strength() -> None:
    """A memory belongs to the perspectives where it gained strength, in shares of its gains. A memory that is equally
    strong in all belongs to none.
    """
    found = perspective_memories([
        memory("invoices", cost=1.45, time=1.0, risk=1.0),
        memory("strikes", cost=1.1, time=1.3, risk=1.0),
        memory("address", cost=1.2, time=1.2, risk=1.2),
    ])  # fmt: skip

    assert found.keys() == {"cost", "time"}
    assert [(each.text, round(each.share, 6)) for each in found["cost"]] == [("invoices", 1.0), ("strikes", 0.25)]
    assert [(each.text, round(each.share, 6)) for each in found["time"]] == [("strikes", 0.75)]


def test_a_gain_that_faded_does_not_count() -> None:
    """A gain that has all but faded does not count, nor does a rounding error."""
    assert perspective_memories([memory("old", cost=0.135, time=0.13), memory("new", cost=1.0, time=1.0 + 1e-15)]) == {}


def test_an_only_perspective_is_known_by_its_name_alone() -> None:
    """No memory tells anything about an agent's only perspective, because all belong to it."""
    assert perspective_memories([memory("invoices", cost=1.45), memory("principle")]) == {}


def test_a_perspective_is_known_by_its_strongest_memories() -> None:
    """A perspective is known by the memories that gained most in it, up to a limit."""
    held = [memory(f"memory {number}", cost=1.0 + 0.1 * number, time=1.0) for number in range(MOST + 5)]

    found = perspective_memories(held)["cost"]

    assert [each.text for each in found] == [f"memory {number}" for number in reversed(range(5, MOST + 5))]


@for_any(st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(0.1, 9)), max_size=30))
def test_the_shares_of_a_memory_are_at_most_1(strengths: list[dict[str, float]]) -> None:
    """The shares of a memory are above 0 and together at most 1. The order of the memories does not matter."""
    held = [TopicSource((), str(number), 1.0, each) for number, each in enumerate(strengths)]

    found = perspective_memories(held)
    everything: list[PerspectiveMemory] = [each for some in found.values() for each in some]

    assert found == perspective_memories(held[::-1])
    assert all(each.share > 0 for each in everything)
    assert all(sum(each.share for each in everything if each.text == one.text) <= 1 + 1e-9 for one in held)
