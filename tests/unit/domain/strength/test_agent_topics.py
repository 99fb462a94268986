"""Tests of the topics of an agent's memories and of their list in the agent's prompt."""

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.agent_topics import Topic, TopicSource, memo, topics


def test_the_strength_of_a_topic_is_the_sum_over_its_memories() -> None:
    """A topic's strength is the sum over its memories. Here three fading memories together are weaker than one strong
    memory.
    """
    notes = [TopicSource(("steel",), "", 0.2)] * 3
    found = topics([*notes, TopicSource(("soup", "steel"), "", 0.1), TopicSource(("sauce",), "", 3.0)])

    assert [(topic.name, round(topic.strength, 6), topic.memories) for topic in found] == [
        ("sauce", 3.0, 1),
        ("steel", 0.7, 4),
        ("soup", 0.1, 1),
    ]


def test_the_topics_of_an_untagged_memory_are_its_keywords() -> None:
    """The listed topics of a memory without tags are its keywords, in English and Japanese. The tag of principles is
    not a topic.
    """
    names = {topic.name for topic in topics([TopicSource((), "The blast furnace melts iron ore.", 1.0)])}
    assert any("furnace" in name for name in names)
    assert topics([TopicSource((), "高炉で鉄鉱石を溶かす。", 1.0)])
    assert not [topic for topic in topics([TopicSource(("principle",), "Be kind.", 1.0)]) if topic.listed]


def test_the_keywords_of_a_tagged_memory_are_not_listed() -> None:
    """The keywords of a memory with tags are topics too, but the list in the prompt has its tags only."""
    found = topics([TopicSource(("steel",), "The blast furnace melts iron ore.", 1.0)])

    assert [topic.name for topic in found if topic.listed] == ["steel"]
    assert any("furnace" in topic.name for topic in found)
    assert memo(found, 100) == "steel (1)"


def test_the_list_has_the_strongest_topics_with_counts() -> None:
    """The list is one line with the strongest topics first, each with its number of memories."""
    assert memo([Topic("steel", 3.0, 12), Topic("鉄鋼", 1.0, 2)], 100) == "steel (12), 鉄鋼 (2)"


def test_a_limit_of_0_tokens_switches_the_list_off() -> None:
    """With a limit of 0 tokens there is no list, and an agent without memories has none either."""
    assert memo([Topic("steel", 3.0, 12)], 0) == ""
    assert memo([], 100) == ""


def test_a_topic_cannot_fill_the_prompt() -> None:
    """A topic that is too long is left out of the list, and line breaks are removed from topics."""
    assert memo([Topic("x" * 100, 9.0, 1), Topic("ste\nel", 3.0, 1)], 100) == "ste el (1)"


@for_any(
    st.lists(st.builds(Topic, st.text(min_size=1, max_size=20), st.floats(0, 9), st.integers(1, 99))),
    st.integers(0, 60),
)
def test_the_list_never_exceeds_its_tokens(known: list[Topic], tokens: int) -> None:
    """The list never exceeds its token limit, whatever the names of topics are."""
    assert estimate_tokens(memo(known, tokens)) <= tokens
