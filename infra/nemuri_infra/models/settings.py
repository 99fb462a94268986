"""Which models serve, and how they are called."""

from typing import Annotated, Literal, Self

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, SecretStr, model_validator

from nemuri_infra.models.retries import Retries

Provider = Literal["anthropic", "openai", "extractive"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
ModelName = Annotated[str, Field(min_length=1)]


class ModelSettings(BaseModel):
    """Providers in the order of fallback, their keys and models, and the bounds of a call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    providers: tuple[Provider, ...] = ()
    """Asked in this order. Empty: those whose key is set, Anthropic first; without any key the extractive model."""
    anthropic_api_key: SecretStr | None = None
    openai_api_key: SecretStr | None = None
    """May be missing for a server other than OpenAI's."""
    anthropic_base_url: AnyHttpUrl | None = None
    """None: Anthropic's own."""
    openai_base_url: AnyHttpUrl | None = None
    """Any server that speaks chat completions, up to and including its "/v1"; None: OpenAI's own."""
    anthropic_model: ModelName = "claude-sonnet-5-5"
    anthropic_light_model: ModelName = "claude-haiku-4-5"
    """For key points and judgements, of which there are many."""
    openai_model: ModelName = "gpt-5.6-terra"
    openai_light_model: ModelName = "gpt-5.6-luna"
    timeout: Positive = 60.0
    """Seconds of one call."""
    attempts: Annotated[int, Field(ge=1)] = 4
    """Calls of one provider before the next is asked."""
    budget: Positive = 90.0
    """Seconds for one provider, calls and waits together."""
    concurrency: Annotated[int, Field(ge=1)] = 8
    """Calls at once, for the main and the light model each."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(set(self.providers)) != len(self.providers):
            raise ValueError("a provider is named twice")
        if "extractive" in self.providers[:-1]:
            raise ValueError("extractive never fails, so no provider can stand behind it")
        if "anthropic" in self.providers and not secret(self.anthropic_api_key):
            raise ValueError("the provider anthropic needs anthropic_api_key")
        if "openai" in self.providers and not secret(self.openai_api_key) and self.openai_base_url is None:
            raise ValueError("the provider openai needs openai_api_key, or the base URL of another server")
        return self

    @property
    def chosen(self) -> tuple[Provider, ...]:
        """The providers really asked, in order; never empty."""
        if self.providers:
            return self.providers
        keyed: tuple[tuple[Provider, SecretStr | None], ...] = (
            ("anthropic", self.anthropic_api_key),
            ("openai", self.openai_api_key),
        )
        return tuple(provider for provider, key in keyed if secret(key)) or ("extractive",)

    @property
    def retries(self) -> Retries:
        """The bounds of repetition for one provider."""
        return Retries(attempts=self.attempts, budget=self.budget)


def secret(key: SecretStr | None) -> str:
    """The key without outer white space, "" when it is missing."""
    return key.get_secret_value().strip() if key else ""
