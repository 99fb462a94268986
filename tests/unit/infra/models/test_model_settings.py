"""Tests of the choice of models by the settings, and of the guard that forbids calls over the network."""

import subprocess
import sys

import pytest
from pydantic import AnyHttpUrl, SecretStr, ValidationError

from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import ModelSettings, build_models
from nemuri_infra.models.network_guard import is_loopback
from nemuri_infra.models.prompted import PromptedModel

KEY = SecretStr("k")
LOCAL = AnyHttpUrl("http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("settings", "chosen"),
    [
        (ModelSettings(), ("extractive",)),
        (ModelSettings(anthropic_api_key=SecretStr(" ")), ("extractive",)),
        (ModelSettings(openai_api_key=KEY), ("openai",)),
        (ModelSettings(openai_api_key=KEY, anthropic_api_key=KEY), ("anthropic", "openai")),
        (ModelSettings(openai_api_key=KEY, providers=("extractive",)), ("extractive",)),
        (ModelSettings(providers=("openai",), openai_base_url=LOCAL), ("openai",)),
    ],
)
def test_providers_are_chosen_by_their_keys(settings: ModelSettings, chosen: tuple[str, ...]) -> None:
    """The providers that have keys are used, unless the settings name providers. A server other than OpenAI's needs no
    key.
    """
    assert settings.chosen == chosen


@pytest.mark.parametrize("providers", [("anthropic",), ("openai",), ("extractive", "openai"), ("openai", "openai")])
def test_invalid_chains_of_providers_are_refused(providers: tuple[str, ...]) -> None:
    """A chain of providers is refused if one has no key, is named twice, or comes after a provider that never fails."""
    keys = {"openai_api_key": KEY} if len(providers) == 2 else {}
    with pytest.raises(ValidationError, match="Value error"):
        ModelSettings.model_validate({"providers": providers, **keys})


async def test_without_a_key_the_extractive_model_is_used() -> None:
    """Without a key the extractive model is the main and the light model."""
    models = build_models(ModelSettings())
    assert isinstance(models.main, ExtractiveModel)
    assert isinstance(models.light, ExtractiveModel)
    await models.aclose()


async def test_names_are_in_the_order_of_fallback() -> None:
    """Main and light models are named in the order in which providers are asked."""
    every = ModelSettings(
        anthropic_api_key=KEY, openai_api_key=KEY, providers=("openai", "anthropic", "extractive"), openai_model="big"
    )
    models = build_models(every)
    assert isinstance(models.main, PromptedModel)
    assert models.main.name == "openai:big > anthropic:claude-sonnet-5-5 > extractive"
    assert models.light.name == "openai:gpt-5.6-luna > anthropic:claude-haiku-4-5 > extractive"
    await models.aclose()


def test_keys_are_not_printed() -> None:
    """The printed form of the settings does not contain API keys."""
    assert "canary" not in repr(ModelSettings(openai_api_key=SecretStr("canary")))


def test_sdks_are_imported_when_a_client_is_created() -> None:
    """The library of a provider is imported only when a client is created, because each import takes about half a
    second.
    """
    code = (
        "import sys, nemuri_infra.models.factory as m, nemuri_infra.embeddings.factory as e\n"
        "m.build_models(m.ModelSettings()); e.build_embedder(e.EmbeddingSettings())\n"
        "assert not {'openai', 'anthropic', 'torch', 'sentence_transformers'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.8.0.1", True),
        ("http://[::1]:8080/", True),
        ("https://api.openai.com/v1", False),
        ("http://127.0.0.1.example.com/", False),
        ("http://127.0.0.1@example.com/", False),
        ("http://0.0.0.0/", False),
        ("nonsense", False),
    ],
)
def test_loopback_is_recognised_by_the_host(url: str, local: bool) -> None:
    """A URL is local if its whole host is a loopback address or `localhost`. No name is resolved."""
    assert is_loopback(url) is local
