"""The settings of embeddings."""

from typing import Annotated

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, SecretStr


class EmbeddingSettings(BaseModel):
    """The choice of an embedder and the limits of its calls."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    spec: str = "built-in"
    """`built-in`, `openai:MODEL` or `sentence-transformers:NAME_OR_PATH`."""
    dimension: Annotated[int, Field(ge=1)] | None = None
    """Dimension of the vectors. None means the embedder's own dimension. The built-in embedder can take fewer.

    Required for an unknown model in OpenAI's format; ignored for sentence-transformers.
    """
    query_prefix: str | None = None
    document_prefix: str | None = None
    """Texts in front of each query and each document, for `openai:MODEL`. None means what the model's name tells: e5
    wants "query: " and "passage: ", other models nothing.
    """
    openai_api_key: SecretStr | None = None
    """API key of OpenAI. Not required for other servers."""
    openai_base_url: AnyHttpUrl | None = None
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30.0
    """Timeout of one request in seconds."""
    attempts: Annotated[int, Field(ge=1)] = 4
    budget: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 90.0
    """Maximum number of seconds for one batch of texts, retries included."""
