"""The choice of models for modules and residents, and faults in it."""

import pytest

from nemuri_infra.models.settings import ModelSettings
from nemuri_society.contracts.residents import Budget, Resident
from nemuri_society.contracts.society import Society
from nemuri_society.operations.manifest import models_by_module
from nemuri_society.simulation.model_building import build_choice, check_models
from nemuri_society.simulation.model_choice import HEAVY_MODULES, ModelNames

RESIDENTS = (Resident(id="v-0", name="Mia", model="openai:own"), Resident(id="v-1", name="Tom"))


def _settings(**given: object) -> ModelSettings:
    return ModelSettings.model_validate({"providers": ("openai",), "openai_api_key": "k"} | given)


def _society(**given: object) -> Society:
    return Society.model_validate({"name": "v", "seed": 1, "agents": RESIDENTS} | given)


def test_heavy_modules_use_the_main_model_if_the_settings_name_one() -> None:
    """Without a main model in the settings everything is light; with one, three modules use it."""
    assert ModelNames.chosen(_society(), _settings()).by_module == {}
    names = ModelNames.chosen(_society(), _settings(openai_model="big"))
    assert {module: names.of(module) for module in (*HEAVY_MODULES, "talking")} == {
        "cognitive_controller": "main",
        "planning": "main",
        "self_reflection": "main",
        "talking": "light",
    }


def test_the_society_decides_before_the_settings() -> None:
    """What a society names holds; `default` holds for every module that it does not name, and residents go first."""
    names = ModelNames.chosen(
        _society(models={"default": "scripted", "talking": "openai:words"}), _settings(openai_model="big")
    )
    assert [names.of(module) for module in ("planning", "talking")] == ["scripted", "openai:words"]
    assert names.of("talking", "v-0") == "openai:own"
    assert names.used == {"scripted", "openai:words", "openai:own"}


def test_the_manifest_names_the_model_of_each_module() -> None:
    """A module that is left out has none; rules are named, too."""
    told = models_by_module(
        _society(models={"default": "light", "talking": "scripted"}, without=["planning"]),
        _settings(openai_light_model="small"),
    )
    assert (told["cognitive_controller"], told["memory_consolidation"], told["interview"]) == (["small"],) * 3
    assert told["talking"] == ["scripted"]
    assert "planning" not in told


def test_every_model_that_is_named_is_built_once() -> None:
    """The choice has providers for exactly the models that are used, in the order of the settings."""
    choice = build_choice(_society(models={"talking": "main"}), _settings(openai_light_model="small"))
    assert choice.models.keys() == {"light", "main", "openai:own"}
    assert choice.of("talking", "v-1")[0] == "main"


@pytest.mark.parametrize(
    ("society", "faults"),
    [
        (_society(models={"planning": "nobody:m"}), [("models.planning", "there is no provider 'nobody'")]),
        (_society(models={"planning": "anthropic:m"}), [("models.planning", "the provider anthropic needs")]),
        (_society(budget=Budget(money=1)), [("budget.money", "the price list has no own, small")]),
        (_society(budget=Budget(tokens=1)), []),
    ],
)
def test_faults_in_the_choice_are_told_with_their_paths(society: Society, faults: list[tuple[str, str]]) -> None:
    """A provider that is missing or lacks a key, and a budget of money without prices, are told before a run."""
    found = check_models(society, _settings(openai_light_model="small"))
    assert [path for path, _ in found] == [path for path, _ in faults]
    for (_, told), (_, beginning) in zip(found, faults, strict=True):
        assert told.startswith(beginning)


def test_a_price_list_allows_a_budget_of_money() -> None:
    """With a price for each model that is used, a budget of money is accepted."""
    price = {"input": 1, "output": 2}
    settings = _settings(openai_light_model="small", prices={"small": price, "own": price})
    assert check_models(_society(budget=Budget(money=1)), settings) == []
