"""Tests of the comparison of memories with a prompt by the words of its topic."""

from nemuri_domain.affective.topic_check import prompt_terms, shared_terms, topic_scores


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    """The text with the rarest words of the prompt has the score 1, and one without its words 0."""
    asked = prompt_terms("the gearbox of the zanzibrine")
    texts = ["a zanzibrine", *["a gearbox"] * 9, "a lamp"]
    rare, *common, nothing = topic_scores(asked, [shared_terms(asked, text) for text in texts])
    assert (rare, nothing) == (1.0, 0.0)
    assert 0 < common[0] < 1
    assert topic_scores(asked, [frozenset()]) == [0.0]
    assert topic_scores({}, []) == []
