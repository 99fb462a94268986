"""The settings of embeddings."""

from typing import Annotated

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, SecretStr

Cosine = Annotated[float, Field(ge=-1, le=1)]


class EmbeddingSettings(BaseModel):
    """Which embedder serves, and how it is called."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    spec: str = "hashing"
    """`hashing`, `openai:MODEL` or `sentence-transformers:NAME_OR_PATH`."""
    dimension: Annotated[int, Field(ge=1)] | None = None
    """None: 1,024 for hashing, the model's own otherwise; needed for unknown models in OpenAI's
    format, ignored for sentence-transformers."""
    relevance_threshold: Cosine | None = None
    use_threshold: Cosine | None = None
    """Instead of those calibrated for the embedder; hashing keeps its own."""
    openai_api_key: SecretStr | None = None
    """May be missing for a server other than OpenAI's."""
    openai_base_url: AnyHttpUrl | None = None
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30.0
    """Seconds of one request."""
    attempts: Annotated[int, Field(ge=1)] = 4
    budget: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 90.0
    """Seconds for one batch, repetitions included."""
