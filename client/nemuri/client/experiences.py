"""What an agent with tiered memory lives through: told, and waited for until it is taken in."""

from uuid import UUID

from nemuri.client.exchange import ClientError, Exchange, checked
from nemuri.client.idempotency_keys import named, say_once
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import RememberedView
from nemuri_contracts.queries import RememberedQuery, TiersQuery
from nemuri_contracts.tiered import Cues, Experience, ExperienceOffered, ExperienceRecorded
from nemuri_contracts.tiered_views import TiersView

PATIENCE = 30
"""Questions in a row, a few seconds each, to which nothing had moved."""


async def lived(
    exchange: Exchange,
    agent: str,
    experience: Experience,
    cues: Cues | None,
    importance: float | None,
    key: str | UUID | None = None,
) -> UUID:
    """Tell it and return the memory's id; raises `ClientError`, as `Client.experience` says."""
    said = {"experience": experience, "cues": cues, "importance": importance}
    event = checked(ExperienceOffered, event_id=named(exchange, key, "experience", agent), agent_id=agent, **said)
    await exchange.ask(TiersQuery, TiersView, agent_id=agent)
    await say_once(exchange, event, key)
    for _ in range(PATIENCE):
        view = await exchange.ask(RememberedQuery, RememberedView, agent_id=agent, offers=(event.event_id,))
        if view.refused:
            raise ClientError(f"{agent} does not remember it: it does not matter enough")
        if not view.pending:
            return derive(event.event_id, ExperienceRecorded.kind_of())
    raise ClientError("it is on the log and not taken in yet; see `nemuri status`")
