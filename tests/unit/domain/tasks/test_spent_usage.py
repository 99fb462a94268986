"""Tests of budgets of tasks and agents."""

import pytest

from nemuri_contracts.client_events import Budget
from nemuri_contracts.event import Usage
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks.spent_usage import Limit, Spent, agent_limit, over_budget, task_limit, with_budget_note
from tests.unit.domain.tasks.stories import answered, assigned, given, retrieved, routed, submitted, summarised

TOKENS = Budget(tokens=1_000)
MONEY = Budget(money=0.5)


def limit(budget: Budget, *calls: Usage) -> Limit:
    """Return the limit of a task with this budget, after these calls."""
    return Limit("the task", budget, Spent.by(calls))


def paid(tokens: int, money: float | None = None) -> Usage:
    """Return the usage of a call with a prompt of this length."""
    return Usage(model="large", input_tokens=tokens, money=money)


def test_a_call_is_allowed_while_its_prompt_fits_the_budget() -> None:
    """Allow a prompt that just fits, and forbid one that has a token too many."""
    spent = limit(TOKENS, paid(600))
    assert spent.forbids(Spent(), 400, priced=False) is None
    assert spent.forbids(Spent(), 401, priced=False) == (
        "the task has a budget of 1,000 tokens, of which 600 are spent, and the next prompt has about 401"
    )


def test_calls_of_the_present_event_count() -> None:
    """Forbid a call because of what the same event has spent, before any event records it."""
    assert limit(TOKENS).forbids(Spent.by([paid(900)]), 200, priced=False)


def test_a_budget_of_money_ends_when_it_is_spent() -> None:
    """Allow calls until the money is spent. The last reply may exceed the budget."""
    assert limit(MONEY, paid(10, 0.49)).forbids(Spent(), 10**6, priced=True) is None
    assert limit(MONEY, paid(10, 0.5)).forbids(Spent(), 1, priced=True) == (
        "the task has a budget of 0.5, of which 0.5 is spent"
    )


@pytest.mark.parametrize(("priced", "money"), [(False, 0.1), (True, None)])
def test_a_budget_of_money_needs_prices(priced: bool, money: float | None) -> None:
    """Forbid calls if the price of the called model, or of an earlier call, is not known."""
    why = limit(MONEY, paid(10, money)).forbids(Spent(), 1, priced=priced)
    assert why is not None
    assert "price of the model is not known" in why


def test_a_call_without_tokens_needs_no_price() -> None:
    """Do not count the steps of the extractive model as calls without a known price."""
    assert limit(MONEY, Usage(model="extractive")).forbids(Spent(), 1, priced=True) is None


def test_a_budget_of_a_task_counts_all_its_steps() -> None:
    """Count what the steps of a task have spent, and nothing without a budget."""
    story = given(submitted(budget_tokens=TOKENS.tokens), summarised()).when(
        routed().model_copy(update={"usage": paid(100)}),
        assigned(1),
        answered(1).model_copy(update={"usage": paid(30)}),
    )
    assert task_limit(story.state) == Limit("the task", TOKENS, Spent(130, 0.0, "large"))
    assert task_limit(given(submitted()).state) is None


def test_an_agent_has_a_limit_if_its_policy_names_one() -> None:
    """Limit an agent by its policy for a day, and not without one."""
    spent = Spent(5)
    found = agent_limit("ann", Policy(daily_tokens=10), spent)
    assert found == Limit("the agent ann for today", Budget(tokens=10), spent)
    assert agent_limit("ann", Policy(), spent) is None


def test_the_answer_says_which_budget_was_used_up() -> None:
    """Tell the reader of an answer that a budget prevented a call, and nothing otherwise."""
    plain = given(submitted(), summarised(), routed(), assigned(1), retrieved(1)).when(answered(1)).state
    assert (over_budget(plain), with_budget_note("An answer.", plain)) == (None, "An answer.")

    why = "the task has a budget of 1,000 tokens"
    usage = Usage(model="extractive", over_budget=why)
    short = given(submitted(), summarised(), routed(), assigned(1)).when(
        answered(1).model_copy(update={"usage": usage})
    )
    assert over_budget(short.state) == why
    assert with_budget_note("An answer.", short.state) == (
        f"An answer.\n\n(Not every step was done by a language model: {why}.)"
    )
