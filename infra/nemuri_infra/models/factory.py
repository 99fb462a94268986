"""Construction of the models from settings."""

from dataclasses import dataclass

from nemuri_infra.models.budgeted_chat import BudgetedChat
from nemuri_infra.models.chat import Chat
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.fallback import FallbackChat, close_all
from nemuri_infra.models.measured_chat import MeasuredChat
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import EXTRACTIVE, Model
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.observability.metrics import Metrics

__all__ = ["ModelSettings", "Models", "build_chats", "build_models"]


@dataclass(frozen=True, slots=True)
class Models:
    """The two models of the platform, which may be the same."""

    main: Model
    """Model that writes answers and learnings."""
    light: Model
    """Light model for key points and judgements, which are frequent."""

    async def aclose(self) -> None:
        """Close both models."""
        await close_all((self.main, self.light))


def build_models(settings: ModelSettings, metrics: Metrics | None = None) -> Models:
    """Return the models that the settings choose. Imports the SDKs of the chosen providers, but opens no connection."""
    seen = metrics or Metrics()
    return Models(main=_model(settings, seen, light=False), light=_model(settings, seen, light=True))


def build_chats(settings: ModelSettings, metrics: Metrics | None = None, *, light: bool = True) -> list[Chat]:
    """Return the chats of the chosen providers in order of preference, for callers with prompts of their own.

    Each records metrics. With `light` they use the light models. The list is empty if only the extractive model is
    chosen.
    """
    seen, chats = metrics or Metrics(), list[Chat]()
    for provider in settings.called:
        model = provider.chosen_model(light=light)
        chats.append(MeasuredChat(provider.chat(model, settings.timeout), seen, settings.prices.get(model)))
    return chats


def _model(settings: ModelSettings, metrics: Metrics, *, light: bool) -> Model:
    chats = build_chats(settings, metrics, light=light)
    if not chats:
        return ExtractiveModel()
    chain = FallbackChat(chats, settings.retries, limit=settings.concurrency)
    priced = all(one.reports_price or one.chosen_model(light=light) in settings.prices for one in settings.called)
    return PromptedModel(BudgetedChat(chain, priced=priced), falls_back=EXTRACTIVE in settings.chosen, metrics=metrics)
