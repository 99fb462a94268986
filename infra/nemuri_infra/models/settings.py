"""Settings of the models, of their providers, and of the calls to them."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from nemuri_contracts.event import Usage
from nemuri_infra.models.protocol import EXTRACTIVE
from nemuri_infra.models.provider import Positive, Provider, installed_providers
from nemuri_infra.models.retries import Retries


class Price(BaseModel):
    """Prices of a model for a million tokens, in any currency."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    output: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    def of(self, usage: Usage) -> float:
        """Return the price of this usage."""
        return (self.input * usage.input_tokens + self.output * usage.output_tokens) / 1_000_000


class ModelSettings(BaseModel):
    """The choice of model providers, their own settings, and the limits of a call.

    The settings of the providers, such as `openai_api_key`, are given beside the others.
    """

    model_config = ConfigDict(frozen=True, extra="allow")  # `_read_installed` takes out what belongs to a provider

    providers: tuple[str, ...] = ()
    """Providers in the order in which they are called.

    If empty, the providers with a key are used in alphabetical order; without any key, the extractive model.
    """
    installed: Mapping[str, Provider] = {}
    """The installed providers with their settings, by name."""
    timeout: Positive = 60.0
    """Timeout of one call in seconds."""
    attempts: Annotated[int, Field(ge=1)] = 4
    """Maximum number of calls of one provider for a request before the next provider is called."""
    budget: Positive = 90.0
    """Maximum number of seconds that one provider may take for a request, calls and waits together."""
    prices: Mapping[str, Price] = Field(default_factory=dict)
    """Price list: the price of each model by its name. Without it budgets of money allow no call."""
    concurrency: Annotated[int, Field(ge=1)] = 8
    """Maximum number of concurrent calls, separately for the main model and for the light model."""

    @model_validator(mode="before")
    @classmethod
    def _read_installed(cls, given: dict[str, Any]) -> dict[str, Any]:
        own = {name: value for name, value in given.items() if name in cls.model_fields}
        others = {name: value for name, value in given.items() if name not in own}
        installed = installed_providers()
        if unknown := others.keys() - {name for kind in installed.values() for name in kind.model_fields}:
            raise ValueError(f"no installed provider has the setting {', '.join(sorted(unknown))}")
        return {"installed": {name: kind.model_validate(others) for name, kind in installed.items()}} | own

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if unknown := [name for name in self.providers if name not in {*self.installed, EXTRACTIVE}]:
            there = ", ".join((*self.installed, EXTRACTIVE))
            raise ValueError(f"there is no provider {', '.join(unknown)}; there are {there}")
        if len(set(self.providers)) != len(self.providers):
            raise ValueError("a provider is named twice")
        if EXTRACTIVE in self.providers[:-1]:
            raise ValueError("extractive never fails, so it must be the last provider")
        for name in self.providers:
            if name != EXTRACTIVE and (lacks := self.installed[name].lacks):
                raise ValueError(f"the provider {name} needs {lacks}")
        return self

    @property
    def chosen(self) -> tuple[str, ...]:
        """Return the providers that are used, in order: `providers`, or the default if `providers` is empty."""
        keyed = tuple(name for name, provider in self.installed.items() if provider.has_key)
        return self.providers or keyed or (EXTRACTIVE,)

    @property
    def called(self) -> list[Provider]:
        """Return the chosen providers that are called over the network, in order."""
        return [self.installed[name] for name in self.chosen if name != EXTRACTIVE]

    @property
    def retries(self) -> Retries:
        """Return the retry policy of one provider."""
        return Retries(attempts=self.attempts, budget=self.budget)
