"""Tests of dividing the token budget of a prompt among its sections, and of cutting texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_society.cognition.prompt_budget import (
    BASE_SHARES,
    PROMPT_SECTIONS,
    PROMPT_TOKENS,
    PromptSection,
    fit_to_budget,
    section_shares,
)

NUMBERS = st.floats(-1, 2)
TEXTS = st.dictionaries(
    st.sampled_from(PROMPT_SECTIONS),
    st.lists(st.text(alphabet=st.sampled_from("aA1.。日本 \n"), max_size=60), max_size=4),
)


def test_the_shares_at_rest_are_those_of_the_document() -> None:
    """At urgency 0 and company 0 the shares of the sections are 10, 30, 15, 15, 20 and 10 percent, as in document
    004.
    """
    assert section_shares(0, 0) == pytest.approx(dict(BASE_SHARES))
    assert sum(BASE_SHARES.values()) == pytest.approx(1)


@given(NUMBERS, NUMBERS)
def test_shares_are_shares(urgency: float, company: float) -> None:
    """For any urgency and company the shares add up to 1, each is above 0, and the system prompt's share is 10
    percent.
    """
    found = section_shares(urgency, company)

    assert sum(found.values()) == pytest.approx(1)
    assert min(found.values()) > 0
    assert found["system"] == 0.10


def test_urgency_is_for_alerts_and_company_for_the_social_situation() -> None:
    """Urgency raises the share of alerts, and company that of the social section. All others shrink, except the system
    prompt.
    """
    calm, urgent, social = section_shares(0, 0), section_shares(1, 0), section_shares(0, 1)

    assert [part for part in PROMPT_SECTIONS if urgent[part] > calm[part]] == ["alerts"]
    assert [part for part in PROMPT_SECTIONS if social[part] > calm[part]] == ["social"]
    assert urgent["alerts"] > 2 * calm["alerts"]


def test_an_unused_share_passes_to_other_sections() -> None:
    """The unused part of a share goes to sections that need more, up to the whole prompt."""
    lines = [f"Line {number} of what is remembered." for number in range(100)]
    alone = fit_to_budget({"memories": lines}, 300, section_shares(0, 0))
    beside = fit_to_budget({"memories": lines, "working_memory": lines}, 300, section_shares(0, 0))

    assert len(alone["memories"]) > 2 * len(beside["memories"])
    assert len(beside["working_memory"]) > len(beside["memories"])


def test_a_text_that_does_not_fit_is_cut_at_a_sentence() -> None:
    """Texts are fitted in their order. A text that does not fit is cut at the end of a sentence."""
    fitted = fit_to_budget(
        {"goals": ["Smelt iron.", "Build a house. Ask Lila to help with all of the walls of it."]}, 12, BASE_SHARES
    )

    assert fitted["goals"] == ("Smelt iron.", "Build a house.")


def test_texts_that_do_not_fit_become_one_line_of_counts() -> None:
    """The last texts of a section that is too long become one line that counts them by kind."""
    said = [f'Bea said: "word {number}"' for number in range(20)]
    remembered = [f'you remember: "stone {number}"' for number in range(20)]
    (lines,) = fit_to_budget({"memories": [*said, *remembered]}, 120, BASE_SHARES).values()

    *kept, last = lines
    assert kept == said[: len(kept)]
    assert 5 < len(kept) < 20
    assert last == f"({40 - len(kept)} more, left out: 20 × you remember, {20 - len(kept)} × Bea said)"


def test_a_budget_of_0_leaves_every_section_empty() -> None:
    """With a budget of 0 each section is an empty tuple."""
    assert fit_to_budget({"goals": ["Smelt iron."], "alerts": []}, 0, BASE_SHARES) == {"goals": (), "alerts": ()}


@given(TEXTS, st.integers(-5, 60), NUMBERS, NUMBERS)
def test_fitted_texts_never_exceed_the_budget(
    texts: dict[PromptSection, list[str]], budget: int, urgency: float, company: float
) -> None:
    """Fitted texts, each on its own line, never exceed the budget. Nothing is dropped if everything fits."""
    fitted = fit_to_budget(texts, budget, section_shares(urgency, company))
    lines = [text for part in fitted.values() for text in part]

    assert estimate_tokens("\n".join(lines)) <= max(0, budget)
    assert set(fitted) == set(texts)
    assert fit_to_budget(texts, PROMPT_TOKENS, section_shares(urgency, company)) == {
        part: tuple(text for text in some if text) for part, some in texts.items()
    }
