"""Event and query handlers of affective memory."""

from collections.abc import Sequence
from time import monotonic
from typing import Final, Literal

from nemuri_contracts.affective import (
    CompressionDue,
    ContextShown,
    MemoriesRecalled,
    MemoryCompressed,
    NightPassed,
    ProtectionChanged,
    TurnOffered,
    TurnRemembered,
    TurnTakenBack,
    TurnWithdrawn,
)
from nemuri_contracts.affective_views import (
    AffectBriefView,
    AffectMemoryView,
    AffectPageView,
    AffectRecallView,
    AffectView,
    TurnView,
)
from nemuri_contracts.error_messages import no_feeling
from nemuri_contracts.event import Usage, derive
from nemuri_contracts.queries import (
    AffectBriefQuery,
    AffectListQuery,
    AffectMemoryQuery,
    AffectQuery,
    AffectRecallQuery,
    AffectTurnQuery,
    Refusal,
    ShowBrief,
    ShowMemories,
)
from nemuri_contracts.strength import MemoryRefused
from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory, embedded_text
from nemuri_domain.affective.kept_code import statement_kept
from nemuri_domain.affective.nightly_job import admitted_to_protection
from nemuri_domain.affective.sanitize import is_command
from nemuri_domain.affective.turn_encoding import agent_timezone, encode_turn
from nemuri_infra.models.jobs.turn_compression import Compressed, CompressJob
from nemuri_infra.process.timezone import local_timezone
from nemuri_infra.projections.affective_lists import AffectiveLists
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, ConditionalAppend, Performed, Service
from nemuri_services.affective_memory.presenters import memory_view, state_view
from nemuri_services.affective_memory.retrieval import (
    SelectedMemories,
    brief,
    heard,
    is_waited_for,
    recall_view,
    retrieve,
    shown_event,
    shown_events,
)
from nemuri_services.affective_memory.turn_understanding import understand

STEPS: Final[tuple[Literal[2, 3], ...]] = (2, 3)
"""Levels of detail to which a memory's text can be compressed, in order: a summary (2), then keywords (3)."""
service = Service(
    "affective-memory",
    capabilities=frozenset({Capability.MAKES_VECTORS, Capability.READS_CLOCK}),
)


@service.handles(TurnOffered)
async def encode(event: TurnOffered, resources: Resources) -> TurnRemembered | MemoryRefused | None:
    """Encode an offered turn of a conversation as a memory. Refuse it if the agent has no affective memory.

    The light model reads the turn. Returns None for a slash command, and for a turn that is encoded already.
    """
    queries = AffectiveQueries(resources.database)
    agent, defined = await queries.agent(event.agent_id), await resources.views.agent(event.agent_id)
    if agent is None or defined is None:
        return MemoryRefused.following(event, reason=no_feeling(event.agent_id))
    if is_command(event.prompt):
        return None
    if await queries.memories([derive(event.event_id, TurnRemembered.kind_of())]):
        return None  # The turn is encoded already, so no model is called twice.
    vectors = await calibrated_vectors(resources, defined)
    made = await understand(event, agent, resources.models.light, vectors, queries, resources.indexes)
    await vectors.store_missing([embedded_text(made.reading.trigger, made.reading.content)])
    zone, number = agent_timezone(agent.rules, local_timezone()), await queries.turns_until(event)
    return encode_turn(event, agent, made, number, zone, await resources.clock.offset())


@service.handles(TurnTakenBack)
async def withdraw(event: TurnTakenBack, resources: Resources) -> TurnWithdrawn | None:
    """Withdraw the memory of a turn that the user took back. Returns None if the agent has no affective memory."""
    agent = await AffectiveQueries(resources.database).agent(event.agent_id)
    memory_id = derive(event.turn_id, TurnRemembered.kind_of())
    return None if agent is None else TurnWithdrawn.following(event, memory_id=memory_id)


@service.handles(NightPassed)
async def request_compressions(event: NightPassed, resources: Resources) -> Sequence[CompressionDue]:  # noqa: ARG001
    """Request the compression of each memory whose level of detail the nightly job lowered, with one event per memory.

    A memory that was archived is compressed to keywords (level 3).
    """
    levels = {change.memory_id: change.level for change in event.lowered} | dict.fromkeys(event.archived, 3)
    return [
        CompressionDue.following(event, nth=memory_id, memory_id=memory_id, level=level)
        for memory_id, level in levels.items()
    ]


@service.handles(CompressionDue)
async def compress(event: CompressionDue, resources: Resources) -> MemoryCompressed | None:
    """Compress a memory to a summary (level 2) or to keywords (level 3) with the light model.

    A memory that fell two levels takes both steps in order. Returns None if the memory or the agent does not exist, if
    the memory is protected, or if it is already compressed to the requested level.
    """
    found = await AffectiveQueries(resources.database).memories([event.memory_id])
    memory, defined = found.get(event.memory_id), await resources.views.agent(event.agent_id)
    if memory is None or defined is None or memory.protected or memory.words_level >= event.level:
        return None
    words, calls = Compressed(memory.trigger, memory.content), list[Usage]()
    for level in STEPS[memory.words_level - 1 : event.level - 1]:
        job = CompressJob(level=level, trigger=words.trigger, content=words.content)
        reply = await resources.models.light.do(job)
        words = _with_statement(memory, reply.value)
        calls.append(reply.usage)
    vectors = resources.vectors.with_embedder_of(defined.embedding)
    text = embedded_text(words.trigger, words.content)
    await vectors.store_missing([text])
    usage = Usage.together(calls)
    return MemoryCompressed.following(
        event,
        memory_id=event.memory_id,
        level=event.level,
        trigger=words.trigger,
        content=words.content,
        compressed_by=usage.model,
        usage=usage,
        vector=vectors.key(text),
    )


def _with_statement(memory: AffectMemory, words: Compressed) -> Compressed:
    """Return compressed words in which what holds until it is revoked stands word for word."""
    if memory.concern not in ("user", "rule"):
        return words
    return Compressed(statement_kept(memory.trigger, words.trigger, memory.concern), words.content)


@service.handles(TurnRemembered, ProtectionChanged)
async def protect_waiting(
    event: TurnRemembered | ProtectionChanged, resources: Resources
) -> ConditionalAppend[ProtectionChanged] | None:
    """Protect the oldest memory for which protection was requested, if the limit of protected memories allows it.

    The resulting event triggers this handler again, for the next such memory. The append has an expected revision, so
    concurrent requests cannot exceed the limit. Waits until the projections contain the agent's newest
    `protection_changed` event.
    """
    if isinstance(event, TurnRemembered) and event.protection == "none":
        return None
    newest = await resources.last_of(event.agent_id, ProtectionChanged)
    queries = AffectiveQueries(resources.database)
    agent = await queries.agent(event.agent_id)
    room = admitted_to_protection(agent, await queries.awaiting_protection(event.agent_id)) if agent else ()
    if not room:
        return None
    key = f"{room[0]}/{newest}"
    return ConditionalAppend(ProtectionChanged.following(event, key=key, memory_id=room[0], protected=True), newest)


@service.answers(AffectRecallQuery)
async def recall(query: AffectRecallQuery, resources: Resources) -> AffectRecallView | Refusal:
    """Return the memories that match a prompt."""
    selected = await _selected(query, resources)
    return selected if isinstance(selected, Refusal) else recall_view(*selected)


@service.answers(ShowMemories)
async def show_memories(
    command: ShowMemories, resources: Resources
) -> Performed[AffectRecallView, MemoriesRecalled | ContextShown] | Refusal:
    """Return the memories that match a prompt, and record what is shown of them.

    Nothing is recorded if this took longer than the client waits.
    """
    began = monotonic()
    selected = await _selected(command, resources)
    if isinstance(selected, Refusal):
        return selected
    recorded = is_waited_for(command.within, began)
    return Performed(recall_view(*selected), shown_events(command, *selected) if recorded else [])


async def _selected(
    query: AffectRecallQuery, resources: Resources
) -> tuple[SelectedMemories | None, AffectAgent] | Refusal:
    agent = await AffectiveQueries(resources.database).agent(query.agent_id)
    defined = await resources.views.agent(query.agent_id)
    if agent is None or defined is None:
        return Refusal(refused=no_feeling(query.agent_id))
    return await retrieve(query, agent, defined, resources), agent


@service.answers(AffectBriefQuery)
async def read_brief(query: AffectBriefQuery, resources: Resources) -> AffectBriefView | Refusal:
    """Return the most important memories of a project."""
    agent = await AffectiveQueries(resources.database).agent(query.agent_id)
    return Refusal(refused=no_feeling(query.agent_id)) if agent is None else await brief(query, agent, resources)


@service.answers(ShowBrief)
async def show_brief(command: ShowBrief, resources: Resources) -> Performed[AffectBriefView, ContextShown] | Refusal:
    """Return the most important memories of a project, and record that they are shown.

    Nothing is recorded if there are none, or if this took longer than the client waits.
    """
    began = monotonic()
    view = await read_brief(command, resources)
    if isinstance(view, Refusal):
        return view
    recorded = view.memories and is_waited_for(command.within, began)
    shown = shown_event("session_start", command, view.memories, view.block)
    return Performed(view, [shown] if recorded else [])


@service.answers(AffectListQuery)
async def show_page(query: AffectListQuery, resources: Resources) -> AffectPageView | Refusal:
    """Return a page of memories, newest first.

    If few memories contain the text of the query, those that a recall of the text returns follow on its first page.
    """
    agent = await AffectiveQueries(resources.database).agent(query.agent_id)
    if agent is None:
        return Refusal(refused=no_feeling(query.agent_id))
    found = await AffectiveLists(resources.database).page(agent, query)
    if query.containing and query.older_than is None and len(found) < query.limit:
        known = {memory.memory_id for memory in found}
        others = [memory for memory in await heard(query, agent, resources) if memory.memory_id not in known]
        found += others[: query.limit - len(found)]
    page = found[: query.limit]
    older = page[-1].memory_id if len(found) > len(page) else None
    return AffectPageView(memories=tuple(memory_view(memory, agent) for memory in page), older=older)


@service.answers(AffectQuery)
async def show(query: AffectQuery, resources: Resources) -> AffectView | Refusal:
    """Return the state of an agent's affective memory."""
    agent = await AffectiveQueries(resources.database).agent(query.agent_id)
    if agent is None:
        return Refusal(refused=no_feeling(query.agent_id))
    return await state_view(agent, resources)


@service.answers(AffectMemoryQuery)
async def show_one(query: AffectMemoryQuery, resources: Resources) -> AffectMemoryView | Refusal:
    """Return one memory, found by its label or id prefix."""
    found = await _find_memory(query, resources)
    return found if isinstance(found, Refusal) else memory_view(*found)


@service.answers(AffectTurnQuery)
async def show_turn(query: AffectTurnQuery, resources: Resources) -> TurnView | Refusal:
    """Return the full text of the turn from which a memory was encoded, whatever its level. Refuse if the turn is no
    longer in the log, because it was erased.
    """
    found = await _find_memory(query, resources)
    if isinstance(found, Refusal):
        return found
    memory, _ = found
    turn = await AffectiveQueries(resources.database).sequence_of(memory.turn_id)
    event = None if turn is None else await resources.log.at(turn)
    if not isinstance(event, TurnOffered):
        return Refusal(refused=f"the turn of {memory.label} is no longer in the log: it was erased")
    return TurnView(
        label=memory.label, session=event.session, said_at=memory.said_at, prompt=event.prompt, reply=event.reply
    )


async def _find_memory(
    query: AffectMemoryQuery | AffectTurnQuery, resources: Resources
) -> tuple[AffectMemory, AffectAgent] | Refusal:
    """Return the memory with the label or id prefix of the query, and its agent. Refuse if none or several match."""
    queries = AffectiveQueries(resources.database)
    agent = await queries.agent(query.agent_id)
    if agent is None:
        return Refusal(refused=no_feeling(query.agent_id))
    found = await queries.find_by_name(query.agent_id, query.memory)
    if not found:
        return Refusal(
            refused=f"{query.agent_id} has no memory {query.memory!r}: give its label or the beginning of its id"
        )
    if len(found) > 1:
        return Refusal(refused=f"memory {query.memory!r} matches several; give more of its id")
    return found[0], agent
