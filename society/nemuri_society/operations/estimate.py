"""Estimates before a run: calls, tokens and money for an hour of a society, and the number of agents a model serves.

The means of each module are data, measured by `python -m bench.society_pace --estimates`: `data/thinking.json`.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from nemuri_contracts.event import Usage, Value
from nemuri_infra.models.settings import ModelSettings
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
    """What an hour of a society's clock takes from models, before any budget."""

    calls: float
    input_tokens: float
    output_tokens: float
    money: float | None
    """Price by the operator's price list; None if it lacks a model that is used."""
    models: dict[str, str]
    """Language model of each module, by its name."""
    slots: int
    """Number of concurrent requests with which agents keep their intervals if an answer takes `answer_seconds`."""
    answer_seconds: float


def estimate(society: Society, settings: ModelSettings) -> Estimate | None:
    """Return the estimate of a society; None if no language model thinks in it."""
    names, means = ModelNames.chosen(society, settings), measured_means()
    calls, incoming, outgoing, money = 0.0, 0.0, 0.0, 0.0
    priced, models = True, dict[str, str]()
    for agent in society.agents:
        for module, mean in means.modules.items():
            there = model_names(names.of(module, agent.id), settings)
            if module in society.without or not there:
                continue
            models.setdefault(module, there[0])
            number = mean.calls_per_agent_hour
            calls += number
            incoming += number * mean.input_tokens
            outgoing += number * mean.output_tokens
            price = settings.prices.get(there[0])
            priced = priced and price is not None
            money += _price(price, number, mean, there[0]) if price else 0.0
    if not calls:
        return None
    slots = calls * society.speed / 3_600 * means.answer_seconds
    return Estimate(
        calls=calls,
        input_tokens=incoming,
        output_tokens=outgoing,
        money=money if priced else None,
        models=models,
        slots=int(slots) + 1,
        answer_seconds=means.answer_seconds,
    )


def served_agents(answers_per_second: float, society: Society) -> int:
    """Return how many agents of a society keep their intervals with this many answers a second of the wall clock."""
    modules = measured_means().modules
    hourly = sum(mean.calls_per_agent_hour for module, mean in modules.items() if module not in society.without)
    return int(answers_per_second / max(1e-9, hourly * society.speed / 3_600))


@cache
def measured_means() -> Measured:
    """Return the measured means."""
    return Measured.model_validate_json(ESTIMATES_PATH.read_text(encoding="utf-8"))


def estimates_text(modules: Mapping[str, Mapping[str, float]], answer_seconds: float) -> str:
    """Return the content of the data file for the figures of a run."""
    fields = list(ModuleMeans.model_fields)
    means: dict[str, Any] = {module: {name: one[name] for name in fields} for module, one in sorted(modules.items())}
    return json.dumps({"answer_seconds": answer_seconds, "modules": means}, indent=2) + "\n"


def _price(price: Any, calls: float, mean: ModuleMeans, model: str) -> float:
    usage = Usage(
        model=model, input_tokens=round(calls * mean.input_tokens), output_tokens=round(calls * mean.output_tokens)
    )
    return float(price.of(usage))
