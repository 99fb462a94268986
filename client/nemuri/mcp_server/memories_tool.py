"""The tool that reads memories: their full words, where they came from, and what happened to them."""
# ruff: noqa: FBT002 - the SDK reads arguments from the parameters

from collections.abc import Sequence
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from nemuri.client.exchange import ClientError, PassingError
from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.memory_details import detail_of, memory_text
from nemuri.mcp_server.quoted_text import DATA_NOTE, plural, short
from nemuri.mcp_server.results import MemoriesResult, MemoryDetail, OmittedMemory, answered
from nemuri.mcp_server.token_budget import DEFAULT_TOKENS, FRAME_TOKENS, MaxTokens, cost, fit
from nemuri.mcp_server.tool_arguments import AgentName, agent_view
from nemuri_domain.language.token_estimate import estimate_tokens, truncate

MAX_IDS = 50
MIN_WORDS_TOKENS = 20


async def memories(
    context: ToolContext,
    agent: AgentName,
    ids: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            max_length=MAX_IDS,
            description="Ids of memories as `recall` gives them: whole, or at least the first six digits. A label, such"
            " as mem_20260120_001, which a memory of a user's session has, is taken too.",
        ),
    ],
    history: Annotated[bool, Field(description="Add every event that changed the memory, with its effect.")] = False,
    max_tokens: MaxTokens = DEFAULT_TOKENS,
) -> Annotated[CallToolResult, MemoriesResult]:
    """Read memories in full: all their words, where they came from, how strong they are, what they contradict.

    Use it after `recall` when a memory matters or was left out. `history` tells how the memory came to be as it is.
    """
    caller = await caller_of(context)
    if history:
        caller.check_operator("the history of a memory")
    view = await agent_view(caller.client, agent)
    found, problems = list[MemoryDetail](), dict[str, str]()
    for memory_id in dict.fromkeys(ids):
        try:
            found.append(await detail_of(caller.client, view, memory_id, history=history))
        except PassingError:
            raise
        except ClientError as error:
            problems[memory_id] = str(error)
    if not found:
        raise ToolError("; ".join(dict.fromkeys(problems.values())))
    return _answer(found, problems, max_tokens)


def _answer(found: Sequence[MemoryDetail], problems: dict[str, str], max_tokens: int) -> CallToolResult:
    left = max_tokens - FRAME_TOKENS - sum(estimate_tokens(f"{name}{why}") + 8 for name, why in problems.items())
    fitted = fit(found, _tokens, lambda row: cost(_name(row), _left_out(row)), left)
    shown, named = fitted.shown, fitted.named
    if not shown:
        shown, named = (_cut(found[0], max(left // 2, MIN_WORDS_TOKENS)),), tuple(named[1:])
    parts = [DATA_NOTE, *map(memory_text, shown)]
    if named:
        number = plural(len(named), "memory", "memories")
        first = f"{number} left out to stay within {max_tokens:,} tokens. Ask for them apart:"
        parts.append("\n".join([first, *map(_name, named)]))
    parts += [f"{name}: {why}" for name, why in problems.items()]
    result = MemoriesResult(memories=shown, left_out=tuple(map(_left_out, named)), problems=problems)
    return answered("\n\n".join(parts), result)


def _cut(each: MemoryDetail, tokens: int) -> MemoryDetail:
    """Return the memory with the beginning of its words, and without its history."""
    spent = _tokens(each.model_copy(update={"words": "", "history": None}))
    words = truncate(each.words, max(tokens - spent, MIN_WORDS_TOKENS))
    return each.model_copy(update={"words": words, "words_left_out": len(each.words) - len(words), "history": None})


def _tokens(each: MemoryDetail) -> int:
    return cost(memory_text(each), each)


def _left_out(each: MemoryDetail) -> OmittedMemory:
    return OmittedMemory(memory_id=each.memory_id, tokens=_tokens(each))


def _name(each: MemoryDetail) -> str:
    return f"- [{short(each.memory_id)}] {plural(_tokens(each), 'token')}"
