"""Check that the configured embedder is the one that made the vectors of the agents' memories."""

from collections.abc import Iterable, Mapping

from pydantic import ValidationError

from nemuri_contracts.agents import Embedding
from nemuri_contracts.memory_views import AgentView
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.vector_generations import embeddings
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import BUILT_IN


class EmbedderChanged(RuntimeError):  # noqa: N818 - the name states a fact
    """Memories have vectors of another embedder. The message is one line and says what to do."""


class SettingsError(ValueError):
    """A setting that cannot be used. The message is one line."""


async def embedding_in_force(settings: Settings) -> Embedding:
    """Return the model and dimension of the configured embedder. A local model is loaded for that.

    Raises `SettingsError` if its package is not installed or there is no such embedder, and `ValidationError` for
    settings that contradict each other.
    """
    try:
        settings.model_settings()
        embedder = build_embedder(settings.embedding_settings())
    except ModuleNotFoundError as error:
        raise SettingsError(f"the embedder {settings.embedder_spec!r} needs `pip install nemuri[local]`") from error
    except ValidationError:
        raise
    except ValueError as error:
        raise SettingsError(str(error)) from error
    try:
        return Embedding(model=embedder.model, dimension=embedder.dimension)
    finally:
        await embedder.aclose()


def compare_embeddings(agents: Mapping[str, Embedding], embedding: Embedding) -> None:
    """Raise `EmbedderChanged` unless every process with this embedding can compute the vectors of all agents.

    Besides its own, these are the built-in vectors that agents have from a time before the configured model.
    """
    others = {
        name: known for name, known in agents.items() if known != embedding and not _is_computed(known, embedding)
    }
    if others:
        name, old = next(iter(others.items()))
        who = f"agent {name} and {len(others) - 1} more have" if len(others) > 1 else f"agent {name} has"
        raise EmbedderChanged(
            f"{who} vectors of {_named(old)}, but the embedder is {_named(embedding)}; to switch, run "
            "`nemuri up` with the old NEMURI_EMBEDDER, NEMURI_EMBEDDING_DIMENSION and key, run `nemuri reembed` with "
            "the new ones beside it, and restart `nemuri up` with the new ones"
        )


def built_in_agents(agents: Iterable[AgentView], embedding: Embedding) -> tuple[str, ...]:
    """Return the ids of the agents that still have built-in vectors beside this embedding of a model."""
    return tuple(
        agent.agent_id for agent in agents if agent.embedding != embedding and _is_computed(agent.embedding, embedding)
    )


def compare_agents(agents: Iterable[AgentView], embedding: Embedding) -> None:
    """Raise `EmbedderChanged` as `compare_embeddings` does.

    Agents of a simulation are left out, because its hosts have their own embedder.
    """
    compare_embeddings(
        {agent.agent_id: agent.embedding for agent in agents if agent.definition.kept_by == "platform"}, embedding
    )


async def check_embedder(settings: Settings, embedding: Embedding) -> None:
    """Raise `EmbedderChanged` as `compare_embeddings` does, for all agents in the projections.

    Agents of a simulation are left out, as in `compare_agents`.
    """
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        compare_embeddings(await embeddings(database), embedding)
    finally:
        await database.close()


def _is_computed(one: Embedding, embedding: Embedding) -> bool:
    """Return True if `one` is built in and `embedding` is that of a model."""
    return one.model == BUILT_IN and embedding.model != BUILT_IN


def _named(embedding: Embedding) -> str:
    return f"{embedding.model} ({embedding.dimension} numbers)"
