"""Tests of the constitution and the tax ledger."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.phenomena.constitution import (
    Constitution,
    Timeline,
    amendments,
    ballot,
    preferred_rate,
    requested_change,
    tally,
)
from nemuri_society.phenomena.tax_ledger import InvalidPaymentError, TaxLedger

opinions = st.floats(-1, 1)
rates = st.integers(0, 100)


@given(st.lists(st.tuples(st.integers(0, 50), rates), max_size=30))
def test_balances_and_treasury_equal_all_incomes(seasons: list[tuple[int, int]]) -> None:
    """At any rates, balances and treasury together equal the sum of all incomes."""
    ledger = TaxLedger()
    for season, (income, rate) in enumerate(seasons):
        payment = ledger.record_payment(season, f"payer-{income % 3}", income, rate)
        assert 0 <= payment.paid <= income
        assert ledger.is_balanced
    ledger.treasury += 1
    assert not ledger.is_balanced


def test_a_second_payment_in_a_season_is_refused() -> None:
    """A second payment in a season raises an error and changes nothing."""
    ledger = TaxLedger()
    ledger.record_payment(0, "ada", 100, 20)
    with pytest.raises(InvalidPaymentError, match="has paid for season 0 already"):
        ledger.record_payment(0, "ada", 100, 20)
    assert (ledger.treasury, ledger.balances, ledger.tax_share([0])) == (20, {"ada": 80}, 0.2)


@pytest.mark.parametrize(("income", "rate"), [(-1, 20), (10, 101), (10, -1)])
def test_an_invalid_payment_is_refused(income: int, rate: int) -> None:
    """A negative income or a rate outside 0 to 100 raises an error."""
    with pytest.raises(InvalidPaymentError, match="cannot be taxed"):
        TaxLedger().record_payment(0, "ada", income, rate)


def test_the_timeline_is_scaled() -> None:
    """The default timeline is that of the paper. A timeline of another length is scaled from it."""
    paper, half = Timeline.scaled_to(1_200), Timeline.scaled_to(600)
    assert paper == Timeline()
    assert (half.feedback, half.amendments, half.vote, half.tally, half.law) == (150, 180, 210, 240, 300)
    assert [paper.payment_second(each) for each in (0, 4, 5, 9)] == [20, 500, 620, 1_100]
    assert (
        (len(paper.seasons_before_law), len(paper.seasons_after_law))
        == (5, 5)
        == (len(half.seasons_before_law), len(half.seasons_after_law))
    )


@given(st.lists(opinions, min_size=1, max_size=30), rates)
def test_a_carried_amendment_has_a_majority(people: list[float], rate: int) -> None:
    """An accepted amendment was proposed and has a majority. If everybody wants a lower rate, no higher rate is
    proposed.
    """
    views = {f"agent-{number}": each for number, each in enumerate(people)}
    proposed = amendments(views, rate)
    ballots = [ballot(person, rate, proposed) for person in people]
    carried = tally(proposed, ballots)
    if carried is not None:
        yes = sum(each[proposed.index(carried)] for each in ballots)
        assert yes > len(people) / 2
    if all(requested_change(person) == "lower" for person in people):
        assert all(amendment < rate for amendment in proposed)


def test_a_frozen_constitution_keeps_its_rate() -> None:
    """A frozen constitution keeps its rate. One that is not frozen takes the accepted rate."""
    assert Constitution(20, frozen=True).amended(9) == Constitution(20, frozen=True)
    assert Constitution(20).amended(9) == Constitution(9)
    assert Constitution(20).amended(None) == Constitution(20)


def test_a_majority_lowers_the_rate() -> None:
    """Three votes for about half the rate win against two votes for a slightly higher one."""
    people = {"ada": -0.5, "bea": -0.6, "cai": -0.4, "dan": 0.3, "eve": 0.3}
    proposed = amendments(people, 20)
    assert proposed == (10, 26)
    assert tally(proposed, [ballot(person, 20, proposed) for person in people.values()]) == 10
    assert [preferred_rate(each, 20) for each in (-1.0, 0.0, 1.0)] == [0, 20, 40]
