"""What the newest sleep or night of an agent changed, in words."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError, PassingError
from nemuri.mcp_server.quoted_text import beginning, moment, plural, short
from nemuri_contracts.affective import NightPassed
from nemuri_contracts.event import AgentEvent
from nemuri_contracts.memory_views import AgentView
from nemuri_contracts.strength import AgentSlept
from nemuri_contracts.tiered_views import TiersView

MAX_NAMED: Final = 10
"""Maximum number of memories that each part of a report names."""


async def sleep_report(client: Client, view: AgentView) -> str:
    """Return what the newest sleep, night or consolidation of an agent changed."""
    agent = view.agent_id
    match view.definition.memory:
        case "strength":
            slept = await _newest(client, agent, AgentSlept)
            return f"{agent} has not slept yet." if slept is None else await _of_sleep(client, slept)
        case "affective":
            passed = await _newest(client, agent, NightPassed)
            return f"{agent} has had no night yet." if passed is None else await _of_night(client, passed)
        case _:
            return _of_consolidation(await client.tiers(agent))


async def _newest(client: Client, agent: str, kind: type[AgentEvent]) -> AgentEvent | None:
    newest = await client.log.newest_on(client.log.subjects.of_agent(agent, kind))
    event = await client.log.at(newest.sequence) if newest.sequence else None
    return event if isinstance(event, kind) else None


async def _of_sleep(client: Client, event: AgentEvent) -> str:
    if not isinstance(event, AgentSlept):
        raise TypeError(f"{event.kind} is no sleep")
    days = f", and its memories decayed by {event.aged.days:.2f} days" if event.aged else ""
    parts = [f"{event.agent_id} slept on {moment(event.at)} over {plural(len(event.sessions), 'session')}{days}."]
    levels = [each.memory_id for each in event.consolidated]
    weak, crowded = [each.memory_id for each in event.archived], [each.memory_id for each in event.pruned]
    for title, ids in (
        ("moved to another level", levels),
        ("archived, because they were weak", weak),
        ("archived, because the memory is full", crowded),
    ):
        parts += await _named(client, event.agent_id, title, ids)
    return "\n".join(parts if len(parts) > 1 else [*parts, "No memory changed its level or was archived."])


async def _of_night(client: Client, event: AgentEvent) -> str:
    if not isinstance(event, NightPassed):
        raise TypeError(f"{event.kind} is no night")
    parts = [f"The night of {event.date} of {event.agent_id} aged its memories by {plural(event.nights, 'day')}."]
    for title, ids in (
        ("reinforced, because they were recalled", event.recalled),
        ("moved to fewer words", [each.memory_id for each in event.lowered]),
        ("archived", event.archived),
        ("came back from the archive", [each.memory_id for each in event.revived]),
        ("protected from now on", event.protected),
        ("deleted for good", event.deleted),
    ):
        parts += await _named(client, event.agent_id, title, ids)
    return "\n".join(parts)


def _of_consolidation(view: TiersView) -> str:
    if view.consolidated_for is None:
        return f"{view.agent_id} has consolidated no memories yet."
    formed = [f"- [{short(each.memory_id)}] {beginning(each.content)}" for each in view.formed[:MAX_NAMED]]
    head = f"{view.agent_id} consolidated its short-term memory last for {view.consolidated_for}."
    return "\n".join([head, f"{plural(view.long, 'long-term memory', 'long-term memories')}; the newest:", *formed])


async def _named(client: Client, agent: str, title: str, ids: Sequence[UUID]) -> list[str]:
    """Return lines that name some of the memories under a title; none without memories."""
    if not ids:
        return []
    head = f"{plural(len(ids), 'memory', 'memories')} {title}:"
    named = [f"- [{short(each)}] {await _beginning(client, agent, each)}" for each in ids[:MAX_NAMED]]
    more = [f"- and {len(ids) - MAX_NAMED} more"] if len(ids) > MAX_NAMED else []
    return [head, *named, *more]


async def _beginning(client: Client, agent: str, memory_id: UUID) -> str:
    for words in (_strength_words, _affective_words):
        try:
            return beginning(await words(client, agent, memory_id))
        except PassingError:
            raise
        except ClientError:
            continue
    return "erased since"


async def _strength_words(client: Client, agent: str, memory_id: UUID) -> str:  # noqa: ARG001 - ids are unique
    return (await client.memory(memory_id)).memory.content


async def _affective_words(client: Client, agent: str, memory_id: UUID) -> str:
    memory = await client.affect_memory(agent, str(memory_id))
    return f"{memory.trigger} {memory.content}"
