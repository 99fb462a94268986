"""Construction of the models that a society uses, from the settings of the platform."""

import asyncio
import time
from random import Random

from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import build_chats
from nemuri_infra.models.measured_chat import MeasuredChat
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.observability.metrics import Metrics
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.scripted_model import scripted_answer
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.model_choice import LIGHT, MAIN, SCRIPTED, ModelChoice, ModelNames
from nemuri_society.simulation.model_providers import ChatModel, PromptModel, Providers


class ScriptedModel:
    """A model that answers prompts by fixed rules and random draws, with an optional latency."""

    name = "scripted"

    def __init__(self, seed: int, latency: float) -> None:
        """Create the model.

        `latency` is the mean answer time in seconds, exponentially distributed; 0 answers at once.
        """
        self._rng, self._latency = Random(seed), latency

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Return the answer that the rules give, with a usage of zero tokens. Waits for the latency."""
        if self._latency:
            await asyncio.sleep(self._rng.expovariate(1 / self._latency))
        return Reply(scripted_answer(prompt, self._rng), Usage(model=self.name))


def build_choice(society: Society, settings: ModelSettings) -> ModelChoice:
    """Return the models of a society. Each model of the same providers has its own record of failures.

    Raises ValueError if a model names a provider that is not installed or lacks a setting.
    """
    names = ModelNames.chosen(society, settings)
    return ModelChoice(
        names, {name: Providers(_models(name, society, settings), time.monotonic) for name in names.used}
    )


def check_models(society: Society, settings: ModelSettings) -> list[tuple[str, str]]:
    """Return what is wrong with the models that a society names: the path in its file, and the fault."""
    named = [(f"models.{module}", name) for module, name in society.models.items()]
    named += [(f"people.{nth}.model", agent.model) for nth, agent in enumerate(society.agents) if agent.model]
    found = [(path, _fault(name, settings)) for path, name in named]
    if society.budget.money is not None and (unpriced := unpriced_models(society, settings)):
        models = ", ".join(unpriced)
        found.append(("budget.money", f"the price list has no {models}; set NEMURI_MODEL_PRICES, or budget.tokens"))
    return [(path, fault) for path, fault in found if fault]


def unpriced_models(society: Society, settings: ModelSettings) -> list[str]:
    """Return the language models that a society uses and whose price is not known."""
    used = {model for name in ModelNames.chosen(society, settings).used for model in model_names(name, settings)}
    free = {
        provider.chosen_model(light=light)
        for provider in settings.called
        if provider.reports_price
        for light in (True, False)
    }
    return sorted(used - settings.prices.keys() - free)


def model_names(name: str, settings: ModelSettings) -> list[str]:
    """Return the names of the language models behind a name of `ModelNames`, in order of preference."""
    if name in (LIGHT, MAIN):
        return [provider.chosen_model(light=name == LIGHT) for provider in settings.called]
    return [] if name == SCRIPTED else [name.partition(":")[2]]


def _models(name: str, society: Society, settings: ModelSettings) -> list[PromptModel]:
    scripted = ScriptedModel(society.seed, society.latency)
    if name == SCRIPTED:
        return [scripted]
    if name in (LIGHT, MAIN):
        chats: list[PromptModel] = [ChatModel(chat) for chat in build_chats(settings, light=name == LIGHT)]
        return [*chats, scripted] if "extractive" in settings.chosen else chats
    if fault := _fault(name, settings):
        raise ValueError(fault)
    provider_name, _, model = name.partition(":")
    chat = settings.installed[provider_name].chat(model, settings.timeout)
    return [ChatModel(MeasuredChat(chat, Metrics(), settings.prices.get(model)))]


def _fault(name: str, settings: ModelSettings) -> str:
    """Return why a model cannot be used; "" if it can."""
    provider_name, colon, _ = name.partition(":")
    if not colon:
        return ""
    provider = settings.installed.get(provider_name)
    if provider is None:
        return f"there is no provider {provider_name!r}; there are {', '.join(settings.installed)}"
    return f"the provider {provider_name} needs {provider.lacks}" if provider.lacks else ""
