"""The settings of a process, and the only place that reads the environment, but for `whereabouts` beside it."""

from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from nemuri_contracts.event import Identifier
from nemuri_infra.bus.access import Access
from nemuri_infra.embedded.data_directory import default_path
from nemuri_infra.embeddings.settings import EmbeddingSettings
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.process import hook_settings
from nemuri_infra.process.memory_limit import memory_limit

MEGABYTE = 1024 * 1024
SHARE_OF_MEMORY = 4
"""One part in so many of a process's memory is for retrieval indexes."""
MOST_MEMORY = 1024 * MEGABYTE
CONNECTIONS = 4
"""Connections to the database for one service."""
MOST_CONNECTIONS = 16
"""For a process with many services."""


class Settings(BaseSettings):
    """Settings by environment variables, all with the prefix `NEMURI_` but for the well-known ones."""

    model_config = SettingsConfigDict(env_prefix="NEMURI_", frozen=True, extra="ignore", env_ignore_empty=True)

    data: Path = Field(default_factory=default_path)
    """Where the embedded servers keep their data, and where the running platform can be found."""
    namespace: Identifier = "nemuri"
    """The namespace of everything: stream, subjects, stores, PostgreSQL schema."""
    nats_url: str | None = Field(default=None, validation_alias=AliasChoices("NATS_URL", "nats_url"))
    """Servers to use instead of the embedded one."""
    host_nats_url: str | None = None
    """The same for the hosts of a society that `nemuri society run` starts, where they are users of their own."""
    world_nats_url: str | None = None
    """And for its world."""
    database_url: str | None = Field(default=None, validation_alias=AliasChoices("DATABASE_URL", "database_url"))
    """The database to use instead of the embedded one."""

    nats_ca: Path | None = None
    """The certificate of who vouches for the NATS servers (`tls://`), where the system knows nobody who does."""
    nats_certificate: Path | None = None
    """Our own certificate, for servers that ask for one."""
    nats_key: Path | None = None
    """Its key."""
    nats_domain: str | None = None
    """The JetStream domain; a client with an account of its own names the namespace here."""
    provision: bool = True
    """Whether a worker makes what it needs on both servers; without the right to, it looks whether it is there."""
    client: Identifier | None = None
    """In whose name the command line and programs speak; the server may let its user speak in no other."""

    hook_agent: Identifier = hook_settings.AGENT
    """Whose memory the hooks of a coding assistant ask and fill, unless they are told another agent."""
    hook_patience: float = Field(default=hook_settings.PATIENCE, gt=0, le=hook_settings.MOST_PATIENT)
    """Seconds that a hook takes at most, before it lets the assistant go on without it."""

    project: str | None = None
    """The project of tasks, questions and memories that name none."""
    domains: str = ""
    """Their domains, comma-separated, where they name none."""

    replicas: int = Field(default=1, ge=1, le=5)
    """On how many nodes of a NATS cluster everything is kept."""

    storage: int | None = Field(default=None, ge=16)
    """Megabytes that the streams of the namespace may hold together on each node: half of it the log, a quarter inputs,
    an eighth vectors. Full ones refuse; without it they fill the disk. A cluster needs twice as much disk."""

    http: str | None = None
    """`HOST:PORT` where a process tells of itself: `/health`, `/ready`, `/metrics`; port 0 is any free one."""
    otel: bool = False
    """Whether traces are exported, as OpenTelemetry's own variables (`OTEL_…`) say; needs the extra `otel`."""
    ack_wait: float = Field(default=10.0, ge=0.5, le=600)
    """Seconds without a sign of life after which an event is handed to another worker; the same for all processes."""
    recall_memory: int | None = Field(default=None, ge=0)
    """Megabytes for the memories of agents that one process keeps at hand; by default a quarter of what its container
    or the machine gives it, and at most 1,024."""
    database_connections: int | None = Field(default=None, ge=1)
    """Connections to the database that one process opens at most; by default 4 for each of its services, and 16."""
    input_patience: float = Field(default=20.0, ge=0)
    """Seconds that an event waits for the rest of an input that is stored in part; then it is given up."""

    log_level: Literal["debug", "info", "warning", "error", "critical"] = "warning"
    """From which level on the platform and its workers log."""

    embedder: str = "hashing"
    """`hashing`, `openai:MODEL` or `sentence-transformers:NAME_OR_PATH`."""
    embedding_dimension: int | None = Field(default=None, ge=1)
    """Numbers in a vector; by default what the embedder itself says."""
    relevance_threshold: float | None = Field(default=None, ge=-1, le=1)
    """The cosine from which on a memory is relevant, instead of the one calibrated for the embedder."""
    use_threshold: float | None = Field(default=None, ge=-1, le=1)
    """The cosine from which on an answer has used a memory, instead of the one calibrated for the embedder."""
    providers: str = ""
    """Language models in order of preference, comma-separated; by default those that there is a key for."""
    anthropic_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("ANTHROPIC_API_KEY", "anthropic_api_key")
    )
    anthropic_base_url: str | None = Field(
        default=None, validation_alias=AliasChoices("ANTHROPIC_BASE_URL", "anthropic_base_url")
    )
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_API_KEY", "openai_api_key")
    )
    openai_base_url: str | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_BASE_URL", "openai_base_url")
    )
    anthropic_model: str | None = None
    """The model of Anthropic that answers; by default the one named in `infra/models/settings.py`."""
    anthropic_light_model: str | None = None
    """The model of Anthropic that summarises and judges."""
    openai_model: str | None = None
    """The model of OpenAI, or of a compatible server, that answers."""
    openai_light_model: str | None = None
    """The one that summarises and judges."""
    model_timeout: float = Field(default=60.0, gt=0)
    """Seconds for one call of a model."""
    model_attempts: int = Field(default=4, ge=1)
    """Calls of one provider before the next is asked."""
    model_budget: float = Field(default=90.0, gt=0)
    """Seconds for one provider, calls and waits together."""
    model_concurrency: int = Field(default=8, ge=1)
    """Calls of a model at once in one process."""
    model_calls: int = Field(default=100, ge=1)
    """Replies of models for one event, over all its tries; an event that wants more is given up."""

    @property
    def access(self) -> Access:
        """How the log's server lets us in."""
        return Access(self.nats_ca, self.nats_certificate, self.nats_key, self.nats_domain)

    def addressed(self, nats_url: str, database_url: str) -> "Settings":
        """The same settings with the servers' addresses known."""
        return self.model_copy(update={"nats_url": nats_url, "database_url": database_url})

    @property
    def storage_bytes(self) -> int | None:
        """Bytes that the streams of the namespace may hold together on each node; None where nothing limits them."""
        return None if self.storage is None else self.storage * MEGABYTE

    @property
    def index_bytes(self) -> int:
        """Bytes for the retrieval indexes that one process keeps."""
        if self.recall_memory is not None:
            return self.recall_memory * MEGABYTE
        return min(memory_limit() // SHARE_OF_MEMORY, MOST_MEMORY)

    def connections(self, services: int) -> int:
        """Connections to the database for a process with so many services."""
        return self.database_connections or min(CONNECTIONS * services, MOST_CONNECTIONS)

    @property
    def domain_names(self) -> tuple[str, ...]:
        """The domains one by one."""
        return tuple(name.strip() for name in self.domains.split(",") if name.strip())

    def model_settings(self) -> ModelSettings:
        """What of these settings concerns language models; raises ValueError when they contradict each other."""
        given: dict[str, object] = {
            "providers": tuple(name.strip() for name in self.providers.split(",") if name.strip()),
            "anthropic_api_key": self.anthropic_api_key,
            "openai_api_key": self.openai_api_key,
            "anthropic_base_url": self.anthropic_base_url,
            "openai_base_url": self.openai_base_url,
            "timeout": self.model_timeout,
            "attempts": self.model_attempts,
            "budget": self.model_budget,
            "concurrency": self.model_concurrency,
            "anthropic_model": self.anthropic_model,
            "anthropic_light_model": self.anthropic_light_model,
            "openai_model": self.openai_model,
            "openai_light_model": self.openai_light_model,
        }
        return ModelSettings.model_validate({name: value for name, value in given.items() if value is not None})

    def embedding_settings(self) -> EmbeddingSettings:
        """What of these settings concerns embeddings."""
        given: dict[str, object] = {
            "spec": self.embedder,
            "dimension": self.embedding_dimension,
            "openai_api_key": self.openai_api_key,
            "openai_base_url": self.openai_base_url,
            "relevance_threshold": self.relevance_threshold,
            "use_threshold": self.use_threshold,
            "attempts": self.model_attempts,
            "budget": self.model_budget,
        }
        return EmbeddingSettings.model_validate({name: value for name, value in given.items() if value is not None})
