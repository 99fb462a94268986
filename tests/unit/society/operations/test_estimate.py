"""Estimates before a run, from measured means."""

import pytest

from nemuri_infra.models.settings import ModelSettings
from nemuri_society.contracts.residents import Budget
from nemuri_society.contracts.society import Society
from nemuri_society.operations.estimate import estimate, measured_means
from nemuri_society.operations.residents import generate_residents

PRICE = {"input": 2.0, "output": 10.0}


def _settings(**given: object) -> ModelSettings:
    names = {"providers": ("openai",), "openai_api_key": "k", "openai_light_model": "small"}
    return ModelSettings.model_validate(names | given)


def _society(agents: int, **given: object) -> Society:
    return Society.model_validate({"name": "v", "seed": 1, "agents": generate_residents("v", agents, 1)} | given)


def test_every_module_that_asks_has_measured_means() -> None:
    """The data file has means of every module with a model, and none of another."""
    modules = measured_means().modules
    assert modules.keys() == {
        "cognitive_controller", "goal_generation", "planning", "self_reflection", "social_awareness", "talking",
    }  # fmt: skip
    assert all(mean.calls_per_agent_hour > 0 and mean.input_tokens > 100 for mean in modules.values())


def test_an_estimate_grows_with_the_agents_and_has_a_price() -> None:
    """Twice the agents take twice the calls, tokens and money. The price is that of the price list."""
    settings = _settings(prices={"small": PRICE})
    one, two = (estimate(_society(agents), settings) for agents in (10, 20))
    assert two.calls == pytest.approx(2 * one.calls)
    assert one.money == pytest.approx((2 * one.input_tokens + 10 * one.output_tokens) / 1e6, rel=1e-3)
    assert set(one.models.values()) == {"small"}


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    """Without a price for one of the models there is no amount of money, rather than a part of it."""
    society = _society(5, models={"planning": "openai:dear"})
    found = estimate(society, _settings(prices={"small": PRICE}))
    assert found.money is None
    assert found.models["planning"] == "dear"


def test_modules_that_are_left_out_cost_nothing() -> None:
    """An ablation is estimated without its modules."""
    whole, part = estimate(_society(5), _settings()), estimate(_society(5, without=("talking",)), _settings())
    calls = 5 * measured_means().modules["talking"].calls_per_agent_hour
    assert whole.calls - part.calls == pytest.approx(calls)


def test_a_budget_lasts_for_some_hours() -> None:
    """The hours of a budget are those of the limit that is reached first; rules use no budget."""
    settings = _settings(prices={"small": PRICE})
    free = estimate(_society(5), settings)
    assert free.hours is None
    half = (free.input_tokens + free.output_tokens) / 2
    assert estimate(_society(5, budget=Budget(tokens=round(half))), settings).hours == pytest.approx(0.5, rel=0.01)
    both = Budget(tokens=round(half), money=(free.money or 0) / 4)
    assert estimate(_society(5, budget=both), settings).hours == pytest.approx(0.25, rel=0.01)
    assert estimate(_society(5, budget=both), ModelSettings(providers=("extractive",))).hours is None


def test_too_few_places_serve_a_part_of_the_agents() -> None:
    """With fewer concurrent requests than needed, the estimate names the agents that keep their intervals."""
    needed = estimate(_society(50), _settings()).slots
    assert estimate(_society(50), _settings()).served == 50 or needed > 50
    few = estimate(_society(50, slots=max(1, needed // 5)), _settings())
    assert few.served == pytest.approx(10, abs=2)
