"""Construction of the models from settings."""

from dataclasses import dataclass

from nemuri_infra.models.anthropic import ANTHROPIC_URL, AnthropicChat
from nemuri_infra.models.assistant_command import AssistantChat
from nemuri_infra.models.budgeted_chat import BudgetedChat, PricedChat
from nemuri_infra.models.call_budget import CachedChat
from nemuri_infra.models.chat import Chat
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.fallback import FallbackChat, FallbackModel, LimitedChat, close_all
from nemuri_infra.models.measured_chat import MeasuredChat
from nemuri_infra.models.openai import OPENAI_URL, OpenAIChat
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import Model
from nemuri_infra.models.settings import ModelSettings, Provider, secret
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
    seen = metrics or Metrics()
    return [MeasuredChat(_priced(each, settings, light=light), seen) for each in _called(settings)]


def _model(settings: ModelSettings, metrics: Metrics, *, light: bool) -> Model:
    chats = build_chats(settings, metrics, light=light)
    if not chats:
        return ExtractiveModel()
    limited = LimitedChat(FallbackChat(chats, settings.retries), settings.concurrency)
    priced = all(_has_price(each, settings, light=light) for each in _called(settings))
    prompted = PromptedModel(CachedChat(BudgetedChat(limited, priced=priced)))
    return FallbackModel(prompted, ExtractiveModel(), over_budget="extractive" not in settings.chosen)


def _called(settings: ModelSettings) -> list[Provider]:
    """Return the chosen providers that are called over the network."""
    return [each for each in settings.chosen if each != "extractive"]


def _has_price(provider: Provider, settings: ModelSettings, *, light: bool) -> bool:
    """Return whether the price of a call is known: from the price list, or because the provider reports it."""
    return provider == "assistant" or _model_name(provider, settings, light=light) in settings.prices


def _model_name(provider: Provider, settings: ModelSettings, *, light: bool) -> str:
    if provider == "anthropic":
        return settings.anthropic_light_model if light else settings.anthropic_model
    if provider == "assistant":
        return settings.assistant_light_model if light else settings.assistant_model
    return settings.openai_light_model if light else settings.openai_model


def _priced(provider: Provider, settings: ModelSettings, *, light: bool) -> Chat:
    model = _model_name(provider, settings, light=light)
    chat = _chat(provider, settings, model)
    price = settings.prices.get(model)
    return PricedChat(chat, price) if price else chat


def _chat(provider: Provider, settings: ModelSettings, model: str) -> Chat:
    if provider == "assistant":
        return AssistantChat(
            command=settings.assistant_command,
            model=model,
            timeout=settings.timeout,
            budget=settings.assistant_call_budget,
        )
    if provider == "anthropic":
        return AnthropicChat(
            api_key=secret(settings.anthropic_api_key),
            base_url=str(settings.anthropic_base_url or ANTHROPIC_URL),
            model=model,
            timeout=settings.timeout,
        )
    return OpenAIChat(
        api_key=secret(settings.openai_api_key) or "none",
        base_url=str(settings.openai_base_url or OPENAI_URL),
        model=model,
        timeout=settings.timeout,
    )
