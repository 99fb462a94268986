"""Tests of the cost estimate against those tables of document 001 that are consistent with each other."""

import pytest

from nemuri_domain.affective.cost_estimate import MILLION, OperationCounts, Prices, estimate_costs, total_dollars
from nemuri_domain.affective.nightly_job import allowed_number
from nemuri_domain.affective.policy import AffectPolicy

A_YEAR = 36_500
FALLEN = OperationCounts(remembered=A_YEAR, recalls=A_YEAR, summaries=31_025, keyword_lists=20_075)
EMBEDDING = [(120.5, 2.41), (8.2, 0.16), (13.0, 0.26), (1.5, 0.03)]
MODEL = [(120.5, 3.7, 139.00), (102.4, 13.0, 167.40), (8.4, 1.5, 15.90)]


def test_the_distribution_of_a_year_is_that_of_the_ratios() -> None:
    """The ratios distribute a year's 36,500 memories over the levels as 5,475, 10,950, 12,775 and 7,300."""
    held = [allowed_number(ratio, A_YEAR) for ratio in AffectPolicy().ratios]
    assert held == [5_475, 10_950, 12_775]
    assert A_YEAR - sum(held) == 7_300
    assert (FALLEN.summaries, FALLEN.keyword_lists) == (A_YEAR - held[0], A_YEAR - held[0] - held[1])


def test_vectors_cost_what_the_table_says() -> None:
    """Embeddings need 143.2 million tokens and cost 2.86 dollars, as in document 001."""
    found = estimate_costs(FALLEN)[:4]
    assert [(round(cost.input_tokens / MILLION, 1), round(cost.dollars, 2)) for cost in found] == EMBEDDING
    assert round(sum(cost.input_tokens for cost in found) / MILLION, 1) == 143.2
    assert round(total_dollars(found), 2) == 2.86


def test_what_a_model_writes_costs_what_the_table_says() -> None:
    """The tokens of the model equal document 001 to 0.1 million. The dollars of its table follow from its rounded
    tokens.
    """
    found = estimate_costs(FALLEN)[4:]
    prices = Prices()
    for (read, written, said), exact in zip(MODEL, found, strict=True):
        assert (exact.input_tokens / MILLION, exact.output_tokens / MILLION) == pytest.approx(
            (read, written), abs=0.051
        )
        assert read * prices.model_input + written * prices.model_output == pytest.approx(said)
        assert exact.dollars == pytest.approx(said, abs=0.35)


def test_a_year_costs_what_the_document_says() -> None:
    """A year costs 325 dollars (27 a month), except for rounding in document 001."""
    year = total_dollars(estimate_costs(FALLEN))
    assert year == pytest.approx(325.16, abs=0.15)
    assert round(year / 12) == 27


def test_a_pace_is_told_for_a_year() -> None:
    """A tenth of a year's work, done in a tenth of a year, gives the same cost per year. Costs are proportional to
    prices.
    """
    tenth = OperationCounts(3_650, 3_650, 3_102.5, 2_007.5)
    assert total_dollars(estimate_costs(tenth.yearly(36.5))) == pytest.approx(total_dollars(estimate_costs(FALLEN)))
    dear = Prices(embedding=0.04, model_input=2, model_output=10)
    assert total_dollars(estimate_costs(FALLEN, dear)) == pytest.approx(2 * total_dollars(estimate_costs(FALLEN)))
    assert total_dollars(estimate_costs(OperationCounts(0, 0, 0, 0))) == 0
