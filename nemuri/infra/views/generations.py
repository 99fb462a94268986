"""Which vectors agents recall by, and which memories have none of a generation yet."""

from uuid import UUID

from sqlalchemy import Select, func, select

from nemuri.contracts.agents import Embedding
from nemuri.domain.memory.mind import Content
from nemuri.infra.views import tables
from nemuri.infra.views.database import Database
from nemuri.infra.views.rows import records, selecting


async def embeddings(database: Database) -> dict[str, Embedding]:
    """What every agent recalls by, in the order of their names."""
    query = select(tables.agent.c.agent_id, tables.agent.c.embedding).order_by(tables.agent.c.agent_id)
    async with database.reading() as connection:
        rows = (await connection.execute(query)).all()
    return {agent_id: Embedding.model_validate(embedding) for agent_id, embedding in rows}


async def lacking(database: Database, generation: str) -> dict[str, int]:
    """How many memories of an agent have no vector of the generation; nothing for an agent that lacks none."""
    memory = tables.memory.c
    query = select(memory.agent_id, func.count()).where(~_with_vector(generation).exists()).group_by(memory.agent_id)
    async with database.reading() as connection:
        counted: dict[str, int] = dict((await connection.execute(query)).all())
    return counted


async def oldest_lacking(
    database: Database, generation: str, agent_id: str, *, after: int, limit: int
) -> list[Content]:
    """The agent's oldest memories without a vector of the generation that began after a place in the log."""
    memory = tables.memory
    chosen = (memory.c.agent_id == agent_id, memory.c.created > after, ~_with_vector(generation).exists())
    query = selecting(memory, Content).where(*chosen).order_by(memory.c.created).limit(limit)
    async with database.reading() as connection:
        return await records(connection, Content, query)


def _with_vector(generation: str) -> Select[tuple[UUID]]:
    memory, vector = tables.memory.c, tables.memory_vector.c
    query: Select[tuple[UUID]] = select(vector.memory_id)
    return query.where(
        vector.agent_id == memory.agent_id, vector.memory_id == memory.memory_id, vector.model == generation
    )
