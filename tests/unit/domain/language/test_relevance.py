"""Tests of the relevance of a text to a request, which depends on these two alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.relevance import alignments, relevance, relevance_of
from nemuri_domain.language.word_table import Words, word_table

TABLE = word_table()
KEY = "The spare key is in the blue box."
TEXTS = (
    KEY,
    "鍵は入口の棚にあります。",
    "Bread rises better overnight.",
    "The doctor's practice opens at nine.",
    "xqzvwk",
)
SMALL_TALK = "We talked about the weather, the garden, the cinema and the trains to Lyon for a long while. "


def words(*texts: str) -> list[Words]:
    """Return the words of each text."""
    return [TABLE.words(text) for text in texts]


def test_a_text_is_fully_relevant_to_itself() -> None:
    """The relevance of a text to itself is 1, in both languages and for unknown words."""
    for text in TEXTS:
        assert relevance_of(text, [text])[0] == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("request_text", "best"),
    [
        ("Where did we put the spare keys?", 0),
        ("玄関の棚に何がありますか", 1),
        ("How do I bake a loaf?", 2),
        ("医者は何時に開きますか", 3),
    ],
)
def test_the_text_that_answers_is_the_most_relevant_one(request_text: str, best: int) -> None:
    """Of several texts, the one that answers a request in other words or in another language is the most relevant
    one.
    """
    assert int(relevance_of(request_text, TEXTS).argmax()) == best


@given(st.sampled_from(TEXTS), st.lists(st.sampled_from(TEXTS), max_size=4))
def test_the_relevance_does_not_depend_on_other_texts(text: str, others: list[str]) -> None:
    """The relevance of a text to a request is the same, whichever other texts are compared."""
    alone = relevance_of("Where is the key?", [text])[0]

    assert relevance_of("Where is the key?", [*others, text])[-1] == pytest.approx(alone, abs=1e-5)


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4))
def test_relevance_is_between_0_and_1(request_text: str, texts: list[str]) -> None:
    """Any texts have a finite relevance from 0 to 1."""
    found = relevance_of(request_text, texts)

    assert found.shape == (len(texts),)
    assert ((found >= 0) & (found <= 1 + 1e-4)).all()


def test_random_letters_are_relevant_to_nothing() -> None:
    """Random letters have almost no relevance to any text."""
    assert relevance_of("zzkqj wvxq pfffgh", TEXTS[:4]).max() < 0.1


def test_the_alignment_does_not_fall_with_the_length_of_the_text() -> None:
    """The words around the aligned ones do not lower the alignment, so a long text is not less aligned."""
    short, long = alignments(TABLE, words("Where is the spare key?"), words(KEY, KEY + SMALL_TALK * 5))[0]

    assert long >= short > 0.5
    [asked], [shown, hidden] = (
        words("Where is the spare key?"),
        relevance_of("Where is the spare key?", [KEY, SMALL_TALK]),
    )
    assert len(asked) > 0
    assert shown > hidden + 0.3


def test_an_unknown_word_aligns_with_itself_only() -> None:
    """An unknown word aligns fully with itself, and not at all with other words."""
    same, other, known = alignments(TABLE, words("xqzvwk"), words("the xqzvwk", "xqzvwj", "dog"))[0]

    assert (same, other, known) == (1, 0, 0)


def test_texts_without_words_have_no_alignment() -> None:
    """A request or a text without words has the alignment 0, and others beside it are not moved."""
    found = alignments(TABLE, words("key", "", "犬"), words("", KEY, "...", "The dog sleeps."))

    assert found.shape == (3, 4)
    assert not found[1].any()
    assert not found[:, [0, 2]].any()
    assert found[0].argmax() == 1
    assert found[2].argmax() == 3
    assert alignments(TABLE, [], words(KEY)).shape == (0, 1)
    assert alignments(TABLE, words("key"), []).shape == (1, 0)


def test_many_requests_align_as_each_alone() -> None:
    """Several requests at once have the alignments that each has alone."""
    asked = words("Where is the key?", "猫", "bread at nine")
    together = alignments(TABLE, asked, words(*TEXTS))

    for row, each in zip(together, asked, strict=True):
        np.testing.assert_allclose(row, alignments(TABLE, [each], words(*TEXTS))[0], atol=1e-5)


def test_cosines_count_relative_to_the_scale_of_the_embedder() -> None:
    """A cosine of an embedder of twice the scale counts half. Negative cosines count as 0."""
    cosines, nothing = np.array([0.4, -0.5], np.float32), np.zeros(2, np.float32)
    mine, other = relevance(cosines, nothing), relevance(cosines, nothing, 2)

    assert other[0] == pytest.approx(mine[0] / 2, rel=1e-5)
    assert mine[1] == other[1] == 0


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_relevance_rises_with_both_comparisons(cosine: float, aligned: float, more: float) -> None:
    """More alignment or a higher cosine never makes a text less relevant."""

    def of(one: float, other: float) -> float:
        return float(relevance(np.array([one], np.float32), np.array([other], np.float32))[0])

    assert of(cosine, min(1.0, aligned + more)) >= of(cosine, aligned) - 1e-6
    assert of(min(1.0, cosine + more), aligned) >= of(cosine, aligned) - 1e-6


@pytest.mark.parametrize(
    ("asked", "text", "other"),
    [
        ("คำตอบ", "นี่คือคำตอบที่ถูกต้อง", "สวัสดีครับวันนี้"),
        ("हिन्दी", "मुझे हिन्दी पसंद है", "राम घर गया"),
        ("cafe", "We met at the café.", "We met at the lake."),
        ("Müller", "Mrs Mu\u0308ller rang.", "Mrs Ode rang."),
    ],
)
def test_a_word_is_relevant_to_its_sentence_in_every_script(asked: str, text: str, other: str) -> None:
    """Marks on letters are part of a word, and a word inside a run without spaces is heard."""
    found = relevance_of(asked, [text, other])
    assert found[0] > 0.5 > found[1]
