"""Settings of the model providers and of the calls to them."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, SecretStr, model_validator

from nemuri_contracts.event import Usage
from nemuri_infra.models.retries import Retries

Provider = Literal["anthropic", "openai", "assistant", "extractive"]
"""`assistant` is the user's own coding assistant, by its command line."""
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
ModelName = Annotated[str, Field(min_length=1)]


class Price(BaseModel):
    """Prices of a model for a million tokens, in any currency."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    output: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    def of(self, usage: Usage) -> float:
        """Return the price of this usage."""
        return (self.input * usage.input_tokens + self.output * usage.output_tokens) / 1_000_000


class ModelSettings(BaseModel):
    """The model providers, their keys and models, and the limits of a call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    providers: tuple[Provider, ...] = ()
    """Providers in the order in which they are called.

    If empty, the providers with a key are used, Anthropic first; without any key, the extractive model.
    """
    anthropic_api_key: SecretStr | None = None
    openai_api_key: SecretStr | None = None
    """API key of OpenAI. Not required for other servers."""
    anthropic_base_url: AnyHttpUrl | None = None
    """Base URL of a server to use instead of Anthropic's; None for Anthropic's own."""
    openai_base_url: AnyHttpUrl | None = None
    """Base URL, up to and including "/v1", of a server with the chat completions API; None for OpenAI's own."""
    anthropic_model: ModelName = "claude-sonnet-5-5"
    anthropic_light_model: ModelName = "claude-haiku-4-5"
    """Model for key points and judgements, which are frequent."""
    openai_model: ModelName = "gpt-5.6-terra"
    openai_light_model: ModelName = "gpt-5.6-luna"
    assistant_command: ModelName = "claude"
    """Command of the user's coding assistant: a name that is searched for in the PATH, or a path."""
    assistant_model: ModelName = "sonnet"
    """Model of the assistant for answers, by its full name or the assistant's alias."""
    assistant_light_model: ModelName = "haiku"
    """Model of the assistant for readings, summaries and judgements."""
    assistant_call_budget: Positive = 0.05
    """Maximum price of one call of the assistant, in US dollars. The assistant ends a call that exceeds it."""
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

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(set(self.providers)) != len(self.providers):
            raise ValueError("a provider is named twice")
        if "extractive" in self.providers[:-1]:
            raise ValueError("extractive never fails, so it must be the last provider")
        if "anthropic" in self.providers and not secret(self.anthropic_api_key):
            raise ValueError("the provider anthropic needs anthropic_api_key")
        if "openai" in self.providers and not secret(self.openai_api_key) and self.openai_base_url is None:
            raise ValueError("the provider openai needs openai_api_key, or the base URL of another server")
        return self

    @property
    def chosen(self) -> tuple[Provider, ...]:
        """Return the providers that are used, in order: `providers`, or the default if `providers` is empty."""
        if self.providers:
            return self.providers
        keyed: tuple[tuple[Provider, SecretStr | None], ...] = (
            ("anthropic", self.anthropic_api_key),
            ("openai", self.openai_api_key),
        )
        return tuple(provider for provider, key in keyed if secret(key)) or ("extractive",)

    @property
    def retries(self) -> Retries:
        """Return the retry policy of one provider."""
        return Retries(attempts=self.attempts, budget=self.budget)


def secret(key: SecretStr | None) -> str:
    """Return the key without outer white space; "" if there is none."""
    return key.get_secret_value().strip() if key else ""
