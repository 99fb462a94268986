"""Estimates before a run: what an hour of a society takes, and how many of its agents its concurrent requests serve.

The means of each module are data, measured by `python -m bench.society_pace --estimates`: `data/thinking.json`.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any, Final

from nemuri_contracts.event import Usage, Value
from nemuri_infra.models.settings import ModelSettings, Price
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.model_building import model_names
from nemuri_society.simulation.model_choice import ModelNames

ESTIMATES_PATH: Final = Path(str(files(__package__).joinpath("data/thinking.json")))
"""File of the measured means."""


class ModuleMeans(Value):
    """Measured means of a module of agents whose requests wait for nothing."""

    calls_per_agent_hour: float
    """Model requests of one agent in an hour of the society's clock."""
    input_tokens: float
    """Mean tokens of a prompt."""
    output_tokens: float
    """Mean tokens of an answer."""


class Measured(Value):
    """The content of the data file."""

    answer_seconds: float
    """Mean answer time of the model with which the means were measured."""
    modules: dict[str, ModuleMeans]


class Estimate(Value):
    """The use of models in an hour of a society's clock, before any budget."""

    calls: float
    input_tokens: float
    output_tokens: float
    money: float | None
    """Price by the operator's price list; None if it lacks a model that is used."""
    unpriced: tuple[str, ...]
    """Language models that are used and whose price is not known."""
    models: dict[str, str]
    """Language model of each module, by its name."""
    slots: int
    """Number of concurrent requests with which agents keep their intervals if an answer takes `answer_seconds`."""
    answer_seconds: float
    served: int
    """Number of agents that keep their intervals with the society's concurrent requests."""
    hours: float | None = None
    """Hours of the society's clock for which its budget lasts; None without one."""


def estimate(society: Society, settings: ModelSettings) -> Estimate:
    """Return the estimate of a society."""
    names, means = ModelNames.chosen(society, settings), measured_means()
    calls, incoming, outgoing, money = 0.0, 0.0, 0.0, 0.0
    models, unpriced = dict[str, str](), set[str]()
    for agent in society.agents:
        for module, mean in means.modules.items():
            if module in society.without:
                continue
            number = mean.calls_per_agent_hour
            calls, incoming = calls + number, incoming + number * mean.input_tokens
            outgoing += number * mean.output_tokens
            if there := model_names(names.of(module, agent.id), settings):
                models.setdefault(module, there[0])
                if price := settings.prices.get(there[0]):
                    money += _price(price, mean, there[0])
                else:
                    unpriced.add(there[0])
    slots = calls * society.speed / 3_600 * means.answer_seconds
    found = Estimate(
        calls=calls,
        input_tokens=incoming,
        output_tokens=outgoing,
        money=money if models and not unpriced else None,
        unpriced=tuple(sorted(unpriced)),
        models=models,
        slots=ceil(slots),
        answer_seconds=means.answer_seconds,
        served=min(len(society.agents), int(len(society.agents) * society.concurrency / max(slots, 1e-9))),
    )
    return found.model_copy(update={"hours": _hours(society, found)})


def _hours(society: Society, found: Estimate) -> float | None:
    """Return the hours for which the budget lasts; None without a budget that the estimate can be compared with."""
    tokens, money = society.budget.tokens, society.budget.money
    lasting = [tokens / (found.input_tokens + found.output_tokens)] if tokens and found.models and found.calls else []
    if money and found.money:
        lasting.append(money / found.money)
    return min(lasting, default=None)


def demand_per_agent(society: Society) -> float:
    """Return the mean requests of one agent in a second of the wall clock, if they wait for nothing."""
    modules = measured_means().modules
    hourly = sum(mean.calls_per_agent_hour for module, mean in modules.items() if module not in society.without)
    return hourly * society.speed / 3_600


@cache
def measured_means() -> Measured:
    """Return the measured means."""
    return Measured.model_validate_json(ESTIMATES_PATH.read_text(encoding="utf-8"))


def estimates_text(modules: Mapping[str, Mapping[str, float]], answer_seconds: float) -> str:
    """Return the content of the data file for the figures of a run."""
    fields = list(ModuleMeans.model_fields)
    means: dict[str, Any] = {module: {name: one[name] for name in fields} for module, one in sorted(modules.items())}
    return json.dumps({"answer_seconds": answer_seconds, "modules": means}, indent=2) + "\n"


def _price(price: Price, mean: ModuleMeans, model: str) -> float:
    """Return the price of an agent's module in an hour."""
    calls = mean.calls_per_agent_hour
    tokens = round(calls * mean.input_tokens), round(calls * mean.output_tokens)
    return price.of(Usage(model=model, input_tokens=tokens[0], output_tokens=tokens[1]))
