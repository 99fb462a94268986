"""The tool that recalls: the memories of an agent that are relevant to a query, best first, with their scores."""
# ruff: noqa: FBT002 - the SDK reads arguments from the parameters

from collections.abc import Iterator
from typing import Annotated, Any

from mcp_types import CallToolResult
from pydantic import Field

from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.operation_arguments import takes
from nemuri.mcp_server.quoted_text import DATA_NOTE, beginning, one_line, plural, quoted, short
from nemuri.mcp_server.recalled_memories import RecallAnswer, recalled_now, recalled_then
from nemuri.mcp_server.results import OmittedMemory, QuotedMemory, RecallResult, answered
from nemuri.mcp_server.token_budget import DEFAULT_TOKENS, FRAME_TOKENS, Fitted, MaxTokens, cost, fit
from nemuri.mcp_server.tool_arguments import AgentName
from nemuri_contracts.client_events import TEXT_LIMIT
from nemuri_contracts.queries import RecallOptions
from nemuri_domain.language.token_estimate import estimate_tokens

MAX_PRINCIPLES = 10
"""Maximum number of principles in an answer."""
PRINCIPLE_CHARACTERS = 160
"""Characters of a principle in an answer."""
PARTICULARS_CHARACTERS = 240
"""Characters of what is told of a memory beside its words."""


@takes(
    RecallOptions,
    "top",
    "project",
    "domains",
    "person",
    "kinds",
    "tags",
    "subject",
    "since",
    "until",
    "at",
    "metadata",
    project="For the memory of a user's sessions the default is the project of this session; memories about the user"
    " are included in every project.",
)
async def recall(
    context: ToolContext,
    agent: AgentName,
    query: Annotated[
        str,
        Field(
            min_length=1, max_length=TEXT_LIMIT, description="What to look for: a question or a topic, in any language."
        ),
    ],
    max_tokens: MaxTokens = DEFAULT_TOKENS,
    as_of: Annotated[
        str | int | None,
        Field(
            description="Search the memory as it was then: a time such as 2026-05-31 or 2026-05-31T14:30 (UTC), a time"
            " before now such as 2h or 3d, or the number of an event. Leave it out for now.",
        ),
    ] = None,
    explain: Annotated[bool, Field(description="Add the values from which each score was made.")] = False,
    **options: Any,
) -> Annotated[CallToolResult, RecallResult]:
    """Find what the agent remembers about something.

    Use it before you answer or decide, whenever something may have been said, decided or learned before. It returns
    the most relevant memories, best first, each with its id and score. If nothing is relevant it returns nothing, and
    you can rely on that. Recalling changes nothing. `memories` gives a memory in full, with its origin.
    """
    caller = await caller_of(context)
    if as_of is None:
        found = await recalled_now(caller, agent, query, **options)
    else:
        found = await recalled_then(caller, agent, query, str(as_of), **options)
    return _answer(found, query, max_tokens, explain=explain)


def _answer(found: RecallAnswer, query: str, max_tokens: int, *, explain: bool) -> CallToolResult:
    principles = tuple(principle[:PRINCIPLE_CHARACTERS] for principle in found.principles[:MAX_PRINCIPLES])
    rules = "\n".join(f"- {beginning(principle, PRINCIPLE_CHARACTERS)}" for principle in principles)
    rows = [memory if explain else memory.model_copy(update={"why": None}) for memory in found.memories]
    left = max(max_tokens - FRAME_TOKENS - 2 * estimate_tokens(rules), 0)
    fitted = fit(rows, lambda row: cost(_lines(row), row), lambda row: cost(_name(row), _left_out(row)), left)
    result = RecallResult(
        agent=found.agent,
        as_of=found.as_of,
        project=found.project,
        ranking=found.ranking if explain else None,
        memories=fitted.shown,
        left_out=tuple(map(_left_out, fitted.named)),
        more_left_out=fitted.counted,
        principles=principles,
    )
    parts = [_heading(found, query), *map(_lines, fitted.shown), *rest_lines(fitted, max_tokens)]
    if rules:
        parts.append(f"Principles, which the agent is given with every task:\n{rules}")
    return answered("\n\n".join(parts), result)


def _heading(found: RecallAnswer, query: str) -> str:
    then = f" as of {found.as_of}" if found.as_of else ""
    about = beginning(query) + (f" in the project {beginning(found.project)}" if found.project else "")
    if not found.memories:
        near = ""
        if found.nearest:
            near = f" Nearest, with a relevance of {found.nearest[1]:.2f}: {beginning(found.nearest[0])}"
        return f"{found.agent} remembers nothing relevant to {about}{then}.{near}"
    deep = " Nothing active was relevant, so the archive was searched." if found.deep else ""
    number = plural(len(found.memories), "memory", "memories")
    return f"{number} of {found.agent} for {about}{then}, best first.{deep} {DATA_NOTE}"


def _lines(each: QuotedMemory) -> str:
    facts = [f"[{short(each.memory_id)}] score {each.score:.3f}"]
    facts += [f"relevance {each.relevance:.2f}"] if each.relevance is not None else []
    facts += [f"strength {each.strength:.2f}"] if each.strength is not None else []
    facts += [f"level {each.level} of 4"] if each.level is not None else []
    facts += [f"{each.layer}-term"] if each.layer is not None else []
    told = each.particulars or (f"said {each.said_at}" if each.said_at else "")
    facts += [one_line(told, PARTICULARS_CHARACTERS)] if told else []
    facts += [f"tags {beginning(', '.join(each.tags))}"] if each.tags else []
    facts += ["archived"] if each.archived else []
    facts += [each.outdated] if each.outdated else []
    why = [f"why: {', '.join(f'{name} {value:g}' for name, value in each.why.items())}"] if each.why else []
    return "\n".join([" · ".join(facts), *why, quoted(each.words)])


def _left_out(each: QuotedMemory) -> OmittedMemory:
    return OmittedMemory(memory_id=each.memory_id, score=each.score, tokens=estimate_tokens(each.words))


def _name(each: QuotedMemory) -> str:
    size = plural(estimate_tokens(each.words), "token")
    return f"- [{short(each.memory_id)}] score {each.score:.3f}, {size}: {beginning(each.words)}"


def rest_lines(fitted: Fitted[QuotedMemory], max_tokens: int) -> Iterator[str]:
    """Yield a text that says what was left out and how to get it, if anything was."""
    number = len(fitted.named) + fitted.counted
    if not number:
        return
    more = [f"- and {fitted.counted} more"] if fitted.counted else []
    how = "Get them by `memories` with these ids, or repeat with a larger max_tokens."
    first = f"{plural(number, 'memory', 'memories')} left out to stay within {max_tokens:,} tokens. {how}"
    yield "\n".join([first, *map(_name, fitted.named), *more])
