"""Recall for all three kinds of memory, in one form."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Unpack

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError, validated
from nemuri.client.keywords import RecallKeywords
from nemuri.mcp_server.access import Caller
from nemuri.mcp_server.quoted_text import moment, short
from nemuri.mcp_server.results import QuotedMemory
from nemuri.mcp_server.tool_arguments import agent_view, check_options
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.past_recall import recall_as_of
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.memory_views import RecallView
from nemuri_contracts.queries import RecallOptions
from nemuri_contracts.strength import FEATURES, Candidate
from nemuri_domain.strength.memory_in_words import outdated_in_words, particulars

TOP: Final[int] = RecallOptions.model_fields["top"].default
"""Usual number of memories."""


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """The recalled memories of an agent, best first."""

    agent: str
    memories: tuple[QuotedMemory, ...]
    ranking: str | None = None
    deep: bool = False
    """True if the archive was searched."""
    principles: tuple[str, ...] = ()
    as_of: str | None = None
    project: str | None = None
    """Project in which affective memory was searched."""
    nearest: tuple[str, float] | None = None
    """If nothing is relevant: what the nearest memory says, and its relevance."""


async def recalled_now(caller: Caller, agent: str, query: str, **options: Unpack[RecallKeywords]) -> RecallAnswer:
    """Return the memories that an agent would be given for a query now. Nothing is recorded.

    Affective memory is searched in the project of the caller if none is given. Raises `ClientError` if the agent is
    unknown or its kind of memory does not have one of the options.
    """
    client = caller.client
    view = await agent_view(client, agent)
    check_options(view, {**options, "top": None})
    match view.definition.memory:
        case "strength":
            return await _by_strength(client, agent, query, **options)
        case "affective":
            return await _by_affect(
                client, agent, query, options.get("top", TOP), options.get("project") or caller.project
            )
        case _:
            return await _by_tiers(client, agent, query, options.get("top", TOP))


async def recalled_then(
    caller: Caller,
    agent: str,
    query: str,
    as_of: str,
    **options: Unpack[RecallKeywords],
) -> RecallAnswer:
    """Return the memories that an agent would have been given for a query at a position of the log.

    Raises `ToolError` unless the caller is an operator, and `OperationError` and `LogPositionError` as `recall_as_of`
    does.
    """
    caller.check_operator("recall from a past state")
    if (kind := (await agent_view(caller.client, agent)).definition.memory) != "strength":
        raise ClientError(f"{agent} has {kind} memory, which cannot be searched as it was; leave out 'as_of'")
    position = LogPosition.read(as_of, datetime.now(UTC))
    asked = validated(RecallOptions, query=query, **options)
    found = await recall_as_of(caller.client.log, caller.settings, agent, position, asked)
    return _of_view(agent, found.view, as_of=f"{moment(found.at)}, event {found.sequence}")


async def _by_strength(client: Client, agent: str, query: str, **options: Unpack[RecallKeywords]) -> RecallAnswer:
    return _of_view(agent, await client.recall(agent, query, **options))


def _of_view(agent: str, found: RecallView, as_of: str | None = None) -> RecallAnswer:
    return RecallAnswer(
        agent,
        tuple(strength_row(memory.candidate, memory.memory) for memory in found.memories),
        found.ranking,
        found.deep,
        tuple(principle.memory.content for principle in found.principles),
        as_of,
        nearest=(found.nearest.memory.content, found.nearest.relevance) if found.nearest else None,
    )


def strength_row(candidate: Candidate, memory: MemoryContent) -> QuotedMemory:
    """Return a recalled strength memory."""
    values = dict(zip(FEATURES, candidate.features, strict=True))
    newer = f"[{short(candidate.yields_to)}]" if candidate.yields_to else ""
    parts = {"cosine": candidate.similarity, "words": candidate.lexical, "relevance": candidate.relevance} | values
    return QuotedMemory(
        memory_id=candidate.memory_id,
        score=round(candidate.score, 4),
        words=memory.content,
        strength=round(values["strength"], 3),
        said_at=moment(memory.said_at) if memory.said_at else None,
        particulars=particulars(memory) or None,
        tags=memory.tags,
        archived=candidate.archived or None,
        outdated=outdated_in_words(candidate, newer) or None,
        yields_to=candidate.yields_to,
        held_until=moment(candidate.held_until) if candidate.held_until else None,
        yields_as=candidate.yields_as,
        relevance=round(candidate.relevance, 3),
        why={name: round(value, 3) for name, value in parts.items()},
    )


async def _by_affect(client: Client, agent: str, query: str, top: int, project: str) -> RecallAnswer:
    found = await client.affect_recall(agent, query, project=project, quietly=True)
    rows = [
        QuotedMemory(
            memory_id=recalled.memory.memory_id,
            score=round(recalled.priority, 4),
            words=f"{recalled.memory.trigger}\n{recalled.memory.content}".strip(),
            level=recalled.memory.level,
            said_at=moment(recalled.memory.said_at),
            tags=recalled.memory.keywords,
            archived=recalled.memory.archived or None,
            why={
                "similarity": round(recalled.similarity, 3),
                "resonance": round(recalled.resonance, 3),
                "retention": round(recalled.memory.retention, 1),
                "intensity": recalled.memory.intensity,
            },
        )
        for recalled in found.recalled[:top]
    ]
    return RecallAnswer(agent, tuple(rows), project=project)


async def _by_tiers(client: Client, agent: str, query: str, top: int) -> RecallAnswer:
    found = await client.tiers_recall(agent, query, top=top, quietly=True)
    rows = [
        QuotedMemory(
            memory_id=tier_recalled.memory.memory_id,
            score=round(tier_recalled.score, 4),
            words=tier_recalled.memory.content,
            layer=tier_recalled.memory.layer,
            tags=tier_recalled.memory.tags or tier_recalled.memory.participants,
            why={
                "relevance": round(tier_recalled.relevance, 3),
                "recency": round(tier_recalled.recency, 3),
                "importance": round(tier_recalled.importance, 3),
            },
        )
        for tier_recalled in found.recalled
    ]
    return RecallAnswer(agent, tuple(rows))
