"""What memories are about, and the table of contents that an agent is given."""

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.agent_topics import Topic, TopicSource, memo, topics


def test_a_topic_is_as_strong_as_all_that_is_held_about_it() -> None:
    """Three fading notes are less than one settled memory."""
    notes = [TopicSource(("steel",), "", 0.2)] * 3
    found = topics([*notes, TopicSource(("soup", "steel"), "", 0.1), TopicSource(("sauce",), "", 3.0)])

    assert [(each.name, round(each.strength, 6), each.memories) for each in found] == [
        ("sauce", 3.0, 1),
        ("steel", 0.7, 4),
        ("soup", 0.1, 1),
    ]


def test_an_untagged_memory_is_about_its_keywords() -> None:
    """In English and in Japanese; the mark of a principle is no topic."""
    names = {each.name for each in topics([TopicSource((), "The blast furnace melts iron ore.", 1.0)])}
    assert any("furnace" in name for name in names)
    assert topics([TopicSource((), "高炉で鉄鉱石を溶かす。", 1.0)])
    assert topics([TopicSource(("principle",), "Be kind.", 1.0)]) == ()


def test_the_memo_names_the_strongest_topics_with_their_numbers() -> None:
    """On one line, in order."""
    assert memo([Topic("steel", 3.0, 12), Topic("鉄鋼", 1.0, 2)], 100) == "steel (12), 鉄鋼 (2)"


def test_the_memo_is_switched_off_by_no_tokens() -> None:
    """And there is none for somebody who knows nothing."""
    assert memo([Topic("steel", 3.0, 12)], 0) == ""
    assert memo([], 100) == ""


def test_a_topic_is_no_way_to_fill_the_prompt() -> None:
    """One that is overlong is left out, and a line break in another does not survive."""
    assert memo([Topic("x" * 100, 9.0, 1), Topic("ste\nel", 3.0, 1)], 100) == "ste el (1)"


@for_any(
    st.lists(st.builds(Topic, st.text(min_size=1, max_size=20), st.floats(0, 9), st.integers(1, 99))),
    st.integers(0, 60),
)
def test_the_memo_never_costs_more_than_it_may(known: list[Topic], tokens: int) -> None:
    """Whatever the topics are called."""
    assert estimate_tokens(memo(known, tokens)) <= tokens
