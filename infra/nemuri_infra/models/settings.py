"""Settings of the model providers and their calls."""

from typing import Annotated, Literal, Self

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, SecretStr, model_validator

from nemuri_infra.models.retries import Retries

Provider = Literal["anthropic", "openai", "extractive"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
ModelName = Annotated[str, Field(min_length=1)]


class ModelSettings(BaseModel):
    """Providers in the order of fallback, their keys and models, and the limits of a call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    providers: tuple[Provider, ...] = ()
    """Providers in the order of the calls. Empty: those with a key, Anthropic first; without any key the extractive
    model.
    """
    anthropic_api_key: SecretStr | None = None
    openai_api_key: SecretStr | None = None
    """Optional for servers other than OpenAI's."""
    anthropic_base_url: AnyHttpUrl | None = None
    """None: Anthropic's own."""
    openai_base_url: AnyHttpUrl | None = None
    """Any server with chat completions, up to and including its "/v1"; None: OpenAI's own."""
    anthropic_model: ModelName = "claude-sonnet-5-5"
    anthropic_light_model: ModelName = "claude-haiku-4-5"
    """For key points and judgements, which are frequent."""
    openai_model: ModelName = "gpt-5.6-terra"
    openai_light_model: ModelName = "gpt-5.6-luna"
    timeout: Positive = 60.0
    """Timeout of one call in seconds."""
    attempts: Annotated[int, Field(ge=1)] = 4
    """Calls of one provider before the next one is called."""
    budget: Positive = 90.0
    """Maximum number of seconds for one provider, calls and waits together."""
    concurrency: Annotated[int, Field(ge=1)] = 8
    """Concurrent calls, for the main and the light model each."""

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
        """Return the providers that are actually used, in order; never empty."""
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
    """Return the key without outer white space; "" if it is missing."""
    return key.get_secret_value().strip() if key else ""
