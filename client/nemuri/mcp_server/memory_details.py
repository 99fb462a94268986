"""Memories of the three kinds in full, in one form."""

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from nemuri.admin.memory_history_text import change_texts, step_name
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError, PassingError
from nemuri.mcp_server.quoted_text import beginning, moment, one_line, plural, quoted
from nemuri.mcp_server.results import MemoryDetail
from nemuri.mcp_server.tool_arguments import as_uuid, whole_id
from nemuri.operations.past_states import steps_of
from nemuri_contracts.memory_views import AgentView, MemoryView
from nemuri_contracts.strength import Origin


async def detail_of(client: Client, view: AgentView, named: str, *, history: bool) -> MemoryDetail:
    """Return a memory of the agent in full. Raises `ClientError` if there is none with this id."""
    agent = view.agent_id
    match view.definition.memory:
        case "strength":
            # A whole id is not looked up first, so that an erased memory is told from an unknown one.
            memory_id = as_uuid(named) or await whole_id(client, "memory", named)
            memory = await client.memory(memory_id)
            if memory.agent_id != agent:
                raise ClientError(f"memory {memory_id} belongs to agent {memory.agent_id!r}, not to {agent!r}")
            steps = await history_lines(client, agent, memory_id) if history else None
            return strength_detail(memory).model_copy(update={"history": steps})
        case kind if history:
            raise ClientError(f"{agent} has {kind} memory; only strength memory has a history of events")
        case "affective":
            return await affective_detail(client, agent, named)
        case _:
            return await tiered_detail(client, agent, named)


def memory_text(each: MemoryDetail) -> str:
    """Return a memory in full as text, with its words quoted."""
    facts = [f"{name}: {_shown(value)}" for name, value in each.facts.items()]
    cut = (
        [f"and {each.words_left_out:,} more characters; repeat with a larger max_tokens"] if each.words_left_out else []
    )
    steps = ["history:", *(f"- {line}" for line in each.history)] if each.history else []
    head = f"Memory {each.memory_id} of {each.agent} ({each.memory} memory), {each.status}"
    return "\n".join([head, quoted(each.words), *cut, *facts, *steps])


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} {_shown(element)}" for name, element in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    return f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())


def strength_detail(memory: MemoryView) -> MemoryDetail:
    """Return a strength memory in full."""
    content = memory.memory
    facts: dict[str, Any] = {
        "strength": round(memory.strength, 3),
        "strength by perspective": {
            name: round(strength, 3) for name, strength in memory.strength_by_perspective.items()
        },
        "level": memory.level,
        "used": memory.access_count,
        "retrieved": memory.candidate_count,
        "last used": moment(memory.last_accessed_at) if memory.last_accessed_at else "never",
        "created": moment(memory.created_at),
        "tags": content.tags,
        "learnings": {name: beginning(text, 400) for name, text in content.learnings.items()},
        "valid in": "everywhere" if content.scope.name is None else f"{content.scope.level} {content.scope.name}",
        "source": memory.source,
        "origin": _origin(memory.origin),
        "said by": content.said_by,
        "said": moment(content.said_at) if content.said_at else None,
        "contradicted, superseded or refined by": [str(memory_id) for memory_id in memory.yields_to],
        "held until": moment(memory.held_until) if memory.held_until else None,
        "relations": [
            f"{relation.sort} {relation.older}" + (f": {relation.reason}" if relation.reason else "")
            for relation in memory.relations
        ],
        "links": [str(link) for link in memory.links],
        "stands for": [f"{source.memory_id} {beginning(source.content)}" for source in memory.sources],
        "absorbed by": str(memory.absorbed_by) if memory.absorbed_by else None,
        "principle": memory.principle,
        "pinned": memory.pinned,
        "unconfirmed": memory.unconfirmed,
    }
    return _detail(memory.memory_id, memory.agent_id, "strength", memory.status, content.content, facts)


async def affective_detail(client: Client, agent: str, named: str) -> MemoryDetail:
    """Return an affective memory in full, with the words of its turn unless that was erased.

    Raises `ClientError` if there is none of this label or id.
    """
    memory = await client.affect_memory(agent, named)
    words = f"{memory.trigger}\n{memory.content}".strip()
    try:
        turn = await client.affect_turn(agent, str(memory.memory_id))
    except PassingError:
        raise
    except ClientError:
        kept = "in fewer words; the turn itself was erased"
    else:
        kept, words = "word for word", f"{turn.prompt}\n{turn.reply}".strip()
    facts = {
        "label": memory.label,
        "kept": kept,
        "level": f"{memory.level} of 4",
        "retention at the last night": round(memory.retention, 1),
        "said": moment(memory.said_at),
        "emotion": f"{memory.emotion.valence}, intensity {memory.intensity}",
        "category": memory.category,
        "concerns": memory.concern,
        "project": memory.project,
        "shown": "only when asked for" if memory.only_asked else "also unasked",
        "keywords": memory.keywords,
        "recalled": memory.recall_count,
        "protection": memory.protection,
    }
    return _detail(memory.memory_id, agent, "affective", "archived" if memory.archived else "active", words, facts)


async def tiered_detail(client: Client, agent: str, named: str) -> MemoryDetail:
    """Return a tiered memory in full. Raises `ClientError` if there is none of this id."""
    memory = await client.tiers_memory(agent, named)
    facts = {
        "type": memory.type,
        "importance": round(memory.importance, 3),
        "accessed": memory.access_count,
        "participants": memory.participants,
        "tags": memory.tags,
        "formed from": [str(source) for source in memory.sources],
        "shared": memory.scope,
        "visible to": memory.visible_to,
    }
    return _detail(memory.memory_id, agent, "tiered", f"{memory.layer}-term", memory.content, facts)


@dataclass(frozen=True, slots=True)
class MemorySummary:
    """The agent of a memory, and its state in a few words."""

    agent: str
    state: str


async def memory_state(client: Client, memory_id: UUID) -> MemorySummary:
    """Return the state of a memory of any kind. Raises `ClientError` if there is none with this id."""
    for view in await client.agents():
        kind, agent = view.definition.memory, view.agent_id
        try:
            match kind:
                case "affective":
                    felt = await client.affect_memory(agent, str(memory_id))
                    return MemorySummary(agent, f"{'archived' if felt.archived else 'active'}, level {felt.level} of 4")
                case "tiered":
                    tiered = await client.tiers_memory(agent, str(memory_id))
                    return MemorySummary(agent, f"in {tiered.layer}-term memory, importance {tiered.importance:.2f}")
        except PassingError:
            raise
        except ClientError:
            continue
    memory = await client.memory(memory_id)
    used = plural(memory.access_count, "time")
    return MemorySummary(memory.agent_id, f"{memory.status}, strength {memory.strength:.2f}, used {used}")


async def history_lines(client: Client, agent: str, memory_id: UUID) -> tuple[str, ...]:
    """Return a line for each event that changed a strength memory, oldest first."""
    lines = []
    for step in await steps_of(client.log, agent, memory_id):
        was = f"{step.before.strength:.3f} → " if step.before is not None else ""
        changed = "".join(f"; {one_line(text, 160)}" for text in change_texts(step))
        when = f"{moment(step.at)} event {step.sequence}"
        lines.append(f"{when}, {step_name(step)}: strength {was}{step.after.strength:.3f}{changed}")
    return tuple(lines)


def _detail(
    memory_id: UUID,
    agent: str,
    kind: Literal["strength", "affective", "tiered"],
    status: str,
    words: str,
    facts: dict[str, Any],
) -> MemoryDetail:
    known = {name: value for name, value in facts.items() if value is not None and value is not False and value != []}
    told = {name: value for name, value in known.items() if value not in ((), {}, "")}
    return MemoryDetail(memory_id=memory_id, agent=agent, memory=kind, status=status, words=words, facts=told)


def _origin(origin: Origin) -> dict[str, str]:
    fields = origin.model_dump(mode="json", exclude_none=True, exclude={"believed"})
    return {
        name.replace("_", " "): ", ".join(value) if isinstance(value, list) else value
        for name, value in fields.items()
        if value
    }
