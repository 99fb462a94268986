"""Sending the experiences of an agent with tiered memory."""

from uuid import UUID

from nemuri.client.exchange import ClientError, Exchange, checked
from nemuri.client.idempotency_keys import named, say_once
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import RememberedView
from nemuri_contracts.queries import RememberedQuery, TiersQuery
from nemuri_contracts.tiered import Cues, Experience, ExperienceOffered, ExperienceRecorded
from nemuri_contracts.tiered_views import TiersView

PATIENCE = 30
"""Number of queries, about 2 seconds each, after which the client gives up."""


async def lived(
    exchange: Exchange,
    agent: str,
    experience: Experience,
    cues: Cues | None,
    importance: float | None,
    key: str | UUID | None = None,
) -> UUID:
    """Append an experience, wait until its memory is recorded, and return the memory's id.

    Raises as `Client.experience` does.
    """
    said = {"experience": experience, "cues": cues, "importance": importance}
    event = checked(ExperienceOffered, event_id=named(exchange, key, "experience", agent), agent_id=agent, **said)
    await exchange.ask(TiersQuery, TiersView, agent_id=agent)
    await say_once(exchange, event, key)
    for _ in range(PATIENCE):
        view = await exchange.ask(RememberedQuery, RememberedView, agent_id=agent, offers=(event.event_id,))
        if view.refused:
            raise ClientError(f"{agent} did not keep the experience: it is not important enough")
        if not view.pending:
            return derive(event.event_id, ExperienceRecorded.kind_of())
    raise ClientError("the experience is in the log, but not recorded yet; see `nemuri status`")
