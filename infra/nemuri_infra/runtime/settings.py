"""The settings of a process. Only this module and `process/hook_settings.py` read the environment."""

import os
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from nemuri_contracts.client_events import MAX_QUESTION_MINUTES
from nemuri_contracts.event import Identifier
from nemuri_infra.bus.access import Access
from nemuri_infra.embedded.data_directory import default_path
from nemuri_infra.embeddings.settings import EmbeddingSettings
from nemuri_infra.models.provider import PREFIX, provider_variables, secret
from nemuri_infra.models.settings import ModelSettings, Price
from nemuri_infra.process import hook_settings
from nemuri_infra.process.resource_limits import memory_limit

KEYED_EMBEDDER = "openai:text-embedding-3-small"
"""Embedder of new agents if OpenAI's key is set and no embedder is chosen (document 003 §4.8)."""
BUILT_IN_EMBEDDER = "built-in"
MEGABYTE = 1024 * 1024
INDEX_MEMORY_DIVISOR = 4
"""Divisor of a process's memory that gives the default limit of its retrieval indexes."""
MAX_INDEX_BYTES = 1024 * MEGABYTE
CONNECTIONS_PER_SERVICE = 4
"""Number of database connections for each service of a process."""
MAX_CONNECTIONS = 16
"""Maximum number of database connections of a process with many services."""


class Settings(BaseSettings):
    """Settings of a process, from environment variables with the prefix `NEMURI_`.

    Variables that other programs use too, like `NATS_URL`, have no prefix. The settings of model providers may be given
    beside those below; `model_settings` reads the others of them from the environment.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="allow", env_ignore_empty=True)

    data: Path = Field(default_factory=default_path)
    """Directory with the data of the embedded servers and the addresses of the running platform."""
    archive: Path | None = None
    """Directory with the archived part of the log, which `nemuri log archive` writes. Every process that reads the log
    needs it once something is archived. Default: `archive` in the data directory.
    """
    namespace: Identifier = "nemuri"
    """Namespace of the stream, the subjects, the stores and the PostgreSQL schema."""
    nats_url: str | None = Field(default=None, validation_alias=AliasChoices("NATS_URL", "nats_url"))
    """Addresses of the NATS servers to use instead of the embedded one, comma-separated."""
    database_url: str | None = Field(default=None, validation_alias=AliasChoices("DATABASE_URL", "database_url"))
    """Address of the database to use instead of the embedded one."""

    nats_ca: Path | None = None
    """Certificate authority of the NATS servers (`tls://`), if the system does not trust it already."""
    nats_certificate: Path | None = None
    """Client certificate, for servers that ask for one."""
    nats_key: Path | None = None
    """Private key of the client certificate."""
    nats_credentials: Path | None = None
    """Credentials file (`.creds`) of the NATS user, with its JWT and the seed of its NKey. Addresses with a password do
    not use it. Requires the extra `nkeys`.
    """
    nats_nkey: Path | None = None
    """File with the seed of the NATS user's NKey, for servers that know its public key. Requires the extra `nkeys`."""
    nats_domain: str | None = None
    """JetStream domain. A client with an account of its own sets this to the namespace, a process behind a leaf node to
    the domain of the servers that hold the streams.
    """
    provision: bool = True
    """True if a worker provisions NATS and PostgreSQL when it starts.

    Otherwise it only checks that they are provisioned.
    """
    client: Identifier | None = None
    """Client in whose name the command line and programs append events.

    The server may restrict a user to one client.
    """

    hook_agent: Identifier = hook_settings.AGENT
    """Agent whose memory the hooks of a coding assistant read and fill by default."""
    hook_patience: float = Field(default=hook_settings.DEFAULT_PATIENCE, gt=0, le=hook_settings.MAX_PATIENCE)
    """Maximum number of seconds that a hook may delay the assistant."""

    mcp_agent: Identifier | None = None
    """Agent whose memory `nemuri mcp` serves. Default: each call of a tool names an agent."""

    project: str | None = None
    """Default project of tasks, queries and memories."""
    domains: str = ""
    """Default domains of tasks, queries and memories, comma-separated."""

    replicas: int = Field(default=1, ge=1, le=5)
    """Number of nodes of a NATS cluster that store each stream."""

    storage: int | None = Field(default=None, ge=16)
    """Megabytes that the streams of the namespace may use together on each node: half for the log, an eighth for
    inputs, for snapshots and for vectors. A full stream refuses writes. Without a limit the streams may fill the disk.

    A node of a cluster writes its data twice, so its disk must have twice as much room.
    """

    snapshot_events: int = Field(default=50_000, ge=0)
    """Minimum number of events between two snapshots of the projections; 0 for no snapshots. On a long log it is a
    tenth of its events.
    """

    http: str | None = None
    """Address `HOST:PORT` of the HTTP endpoints `/health`, `/ready` and `/metrics` of the process.

    Port 0 means any free port.
    """
    otel: bool = False
    """True if traces are exported, as OpenTelemetry's own variables (`OTEL_…`) configure. Requires the extra `otel`."""
    ack_wait: float = Field(default=10.0, ge=0.5, le=600)
    """Seconds without a heartbeat after which an event is redelivered to another worker. All processes need the same
    value.
    """
    recall_memory: int | None = Field(default=None, ge=0)
    """Megabytes for the retrieval indexes of one process. Default: a quarter of the memory of its container or machine,
    at most 1,024.
    """
    database_connections: int | None = Field(default=None, ge=1)
    """Maximum number of database connections of one process. None means 4 for each service that the process runs, but
    no more than 16 in total.
    """
    input_patience: float = Field(default=20.0, ge=0)
    """Seconds that an event waits for the missing pieces of an input. After that it is given up."""

    webhook_timeout: float = Field(default=10.0, gt=0, le=120)
    """Seconds that the receiver of a webhook has for its answer."""
    webhook_days: float = Field(default=5.0, ge=0, le=365)
    """Days after which a webhook is paused whose receiver has accepted no event since."""

    log_level: Literal["debug", "info", "warning", "error", "critical"] = "warning"
    """Minimum level of log messages of the platform and its workers."""

    overview_tokens: int = Field(default=500_000, ge=1_000)
    """Maximum tokens of documents that are read for a request about the whole, such as a summary. Of longer documents
    parts at even distances are read, and the answer says which were not. 500,000 tokens are about 100 chunks of English
    or 25 of Japanese text of ten dense pages each.
    """
    overview_prompt_tokens: int = Field(default=16_000, ge=500)
    """Maximum tokens of documents, or of notes on them, in the prompt of an answer about the whole. Documents that fit
    are given as they are.
    """

    embedder: str | None = None
    """`built-in`, `openai:MODEL` or `sentence-transformers:NAME_OR_PATH`. Default: `KEYED_EMBEDDER` with OpenAI's key,
    otherwise `built-in`.
    """
    embedding_dimension: int | None = Field(default=None, ge=1)
    """Dimension of vectors. Default: the embedder's own."""
    embedder_query_prefix: str | None = None
    """Text in front of each query that `openai:MODEL` embeds. Default: by the model's name ("query: " for e5)."""
    embedder_document_prefix: str | None = None
    """Text in front of each document that `openai:MODEL` embeds. Default: by the model's name ("passage: " for e5)."""
    question_minutes: float = Field(default=10.0, ge=0, le=MAX_QUESTION_MINUTES)
    """Minutes that an agent waits for the answer to its own question before it goes on with its assumption. 0 forbids
    questions. A task may have a time of its own.
    """
    providers: str = ""
    """Model providers in order of preference, comma-separated. Default: those with an API key."""
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_API_KEY", "openai_api_key")
    )
    """Key of OpenAI's API, for the embedder and the provider `openai`."""
    openai_base_url: str | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_BASE_URL", "openai_base_url")
    )
    """Address of a server to use instead of OpenAI's, with the same protocol."""
    model_timeout: float = Field(default=60.0, gt=0)
    """Timeout of one model call in seconds."""
    model_attempts: int = Field(default=4, ge=1)
    """Maximum number of calls of one provider for a request before the next provider is called."""
    model_budget: float = Field(default=90.0, gt=0)
    """Maximum number of seconds that one provider may take for a request, calls and backoff together."""
    model_concurrency: int = Field(default=8, ge=1)
    """Maximum number of concurrent model calls in one process."""
    model_prices: dict[str, Price] = Field(default_factory=dict)
    """Price list for budgets of money, as JSON: `{"MODEL": {"input": 3, "output": 15}}`, for a million tokens."""
    model_calls: int = Field(default=100, ge=1)
    """Maximum number of model replies for one event over all delivery attempts. An event that needs more is given
    up.
    """

    @property
    def access(self) -> Access:
        """Return the parameters of a connection to NATS except its address: certificates, domain and the user's key."""
        return Access(
            self.nats_ca,
            self.nats_certificate,
            self.nats_key,
            self.nats_domain,
            self.nats_credentials,
            self.nats_nkey,
        )

    @property
    def archive_directory(self) -> Path:
        """Return the directory with the archive of the namespace's log."""
        return (self.archive or self.data / "archive").expanduser().absolute() / self.namespace

    def addressed(self, nats_url: str, database_url: str) -> "Settings":
        """Return a copy of the settings with these server addresses."""
        return self.model_copy(update={"nats_url": nats_url, "database_url": database_url})

    @property
    def storage_bytes(self) -> int | None:
        """Return the limit in bytes of the namespace's streams together on each node; None without a limit."""
        return None if self.storage is None else self.storage * MEGABYTE

    @property
    def index_bytes(self) -> int:
        """Return the maximum number of bytes that one process may use for retrieval indexes."""
        if self.recall_memory is not None:
            return self.recall_memory * MEGABYTE
        return min(memory_limit() // INDEX_MEMORY_DIVISOR, MAX_INDEX_BYTES)

    def connections(self, services: int) -> int:
        """Return the maximum number of database connections of a process that runs this many services."""
        return self.database_connections or min(CONNECTIONS_PER_SERVICE * services, MAX_CONNECTIONS)

    @property
    def domain_names(self) -> tuple[str, ...]:
        """Return the default domains as a tuple."""
        return tuple(name.strip() for name in self.domains.split(",") if name.strip())

    def model_settings(self) -> ModelSettings:
        """Return the settings of language models. Raises ValueError if they contradict each other."""
        given: dict[str, object] = {
            "providers": tuple(name.strip() for name in self.providers.split(",") if name.strip()),
            "timeout": self.model_timeout,
            "attempts": self.model_attempts,
            "budget": self.model_budget,
            "concurrency": self.model_concurrency,
            "prices": self.model_prices,
        }
        return ModelSettings.model_validate(given | self._provider_settings())

    def _provider_settings(self) -> dict[str, object]:
        """Return the settings of model providers that were given to this object or stand in the environment."""
        environment = {variable.upper(): value for variable, value in os.environ.items()}
        found: dict[str, object] = {}
        for name, variable in provider_variables().items():
            given = getattr(self, name, None)
            value = environment.get(variable) or None if given is None else given
            if value is not None:
                found[name] = value
        return found

    @property
    def embedder_spec(self) -> str:
        """Return the embedder of new agents. A key for another server than OpenAI's chooses none, because that server
        may have no embeddings.
        """
        if self.embedder is not None:
            return self.embedder
        return KEYED_EMBEDDER if secret(self.openai_api_key) and self.openai_base_url is None else BUILT_IN_EMBEDDER

    def embedding_settings(self) -> EmbeddingSettings:
        """Return the settings of embeddings."""
        given: dict[str, object] = {
            "spec": self.embedder_spec,
            "dimension": self.embedding_dimension,
            "openai_api_key": self.openai_api_key,
            "openai_base_url": self.openai_base_url,
            "query_prefix": self.embedder_query_prefix,
            "document_prefix": self.embedder_document_prefix,
            "attempts": self.model_attempts,
            "budget": self.model_budget,
        }
        return EmbeddingSettings.model_validate({name: value for name, value in given.items() if value is not None})
