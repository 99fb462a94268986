"""The tool that erases: it shows first what would go, and erases only what a person or a code has confirmed."""
# ruff: noqa: FBT001, FBT002 - the SDK reads arguments from the parameters

from hashlib import sha256
from hmac import compare_digest, digest
from typing import Annotated, Final
from uuid import UUID

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from nemuri.client.connection import resolve_addresses
from nemuri.client.exchange import ClientError, PassingError
from nemuri.mcp_server.access import Caller, ToolContext, caller_of
from nemuri.mcp_server.erasure_runs import erased
from nemuri.mcp_server.quoted_text import beginning, plural
from nemuri.mcp_server.results import ErasedItem, ForgetResult, answered
from nemuri.mcp_server.token_budget import DEFAULT_TOKENS, FRAME_TOKENS, MaxTokens, cost, fit
from nemuri.mcp_server.tool_arguments import TimeoutSeconds, whole_id
from nemuri.operations import erasure
from nemuri_infra.projections.erasure_lineage import LineageResult, Thing

QUESTION_LINES: Final = 10
"""Maximum number of items that the question to the person lists."""
CODE_DIGITS: Final = 10
DEFAULT_SECONDS: Final = 45.0

ErasableId = Annotated[
    str, Field(description="Id of the memory or task to erase: whole, or at least its first six digits.")
]
DryRun = Annotated[bool, Field(description="True to show what would be erased, and erase nothing.")]


class Confirmation(BaseModel):
    """The answer of the person who is asked."""

    erase: bool = Field(title="Erase permanently", description="This cannot be undone.")


class NotAsked(BaseModel):
    """Nobody was asked: it is a dry run, or the assistant's host cannot ask."""


async def ask_person(context: ToolContext, id: str, dry_run: bool) -> Elicit[Confirmation] | NotAsked:  # noqa: A002
    """Return the question to the person; none for a dry run, and where the host cannot ask one."""
    if dry_run or not can_ask(context):
        return NotAsked()
    caller = await caller_of(context)
    thing, found = await _lineage(caller, id)
    rows = sorted(f"- {_line(erased_thing)}" for erased_thing in _things(found))
    more = [f"- and {len(rows) - QUESTION_LINES} more"] if len(rows) > QUESTION_LINES else []
    question = f"Erase {thing.sort} {thing.name} permanently, with everything derived from it?"
    return Elicit("\n".join([question, *rows[:QUESTION_LINES], *more]), Confirmation)


async def forget(
    context: ToolContext,
    id: ErasableId,  # noqa: A002 - the name that callers guess
    confirmed: Annotated[ElicitationResult[Confirmation], Resolve(ask_person)],
    dry_run: DryRun = True,
    confirmation: Annotated[
        str | None,
        Field(description="The code from the dry run. Needed only where the dry run gave one."),
    ] = None,
    timeout: TimeoutSeconds = DEFAULT_SECONDS,
    max_tokens: MaxTokens = DEFAULT_TOKENS,
) -> Annotated[CallToolResult, ForgetResult]:
    """Erase a memory or a task permanently, with everything derived from it, from the log, the views and every file.

    Call it first as it is: it lists what would be erased, and why, and erases nothing. Then call it with
    `dry_run` false. The person at the assistant is asked to confirm. Where the assistant cannot ask, the dry run gives
    a code, which you pass as `confirmation` after the person agreed. Only an operator may erase. A memory that is
    merely out of date need not be erased: remember the new fact.
    """
    caller = await caller_of(context)
    thing, found = await _lineage(caller, id)
    asked = can_ask(context)
    if dry_run:
        return _preview(thing, found, None if asked else _code(caller, found), max_tokens)
    if asked:
        _check_person(confirmed)
    else:
        _check_code(caller, confirmation, found)
    return await erased(caller, thing, timeout)


def can_ask(context: ToolContext) -> bool:
    """Return True if the assistant's host can ask its person a question in a form."""
    known = context.client_capabilities
    asks = known.elicitation if known is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


async def find_thing(caller: Caller, named: str) -> Thing:
    """Return the memory or task with this id. Raises `ClientError` if there is none, or if several match."""
    try:
        return Thing("memory", await whole_id(caller.client, "memory", named))
    except PassingError:
        raise
    except ClientError as error:
        try:
            return Thing("task", await whole_id(caller.client, "task", named))
        except PassingError:
            raise
        except ClientError:
            raise error from None


async def _lineage(caller: Caller, named: str) -> tuple[Thing, LineageResult]:
    """Return the memory or task with this id, and all that goes with it.

    Raises `ToolError` if the caller may not erase it.
    """
    caller.check_operator("erasing")
    thing = await find_thing(caller, named)
    found = await erasure.lineage(resolve_addresses(caller.settings), [thing])
    owner = found.owners.get(UUID(str(thing.name)))
    if thing.sort == "task":
        owner = (await caller.client.progress(UUID(str(thing.name)))).agent_id
    if owner is not None:
        caller.check_agent(owner, f"{thing.sort} {thing.name}")
    return thing, found


def _preview(thing: Thing, found: LineageResult, code: str | None, max_tokens: int) -> CallToolResult:
    rows = _things(found)
    fitted = fit(rows, lambda row: cost(f"- {_line(row)}", row), lambda _: 0, max_tokens - FRAME_TOKENS)
    out = len(fitted.named) + fitted.counted
    how = (
        f"After the person agreed, call again with dry_run false and confirmation {code}."
        if code
        else "Call again with dry_run false; the person is then asked to confirm."
    )
    head = f"Erasing {thing.sort} {thing.name} would erase {plural(len(rows), 'item')}. Nothing is erased yet."
    lines = [f"- {_line(erased_item)}" for erased_item in fitted.shown]
    more = [f"- and {out} more"] if out else []
    result = ForgetResult(erased=False, items=tuple(fitted.shown), more_items=out, number=len(rows), confirmation=code)
    return answered("\n".join([head, *lines, *more, how]), result)


def _check_person(confirmed: ElicitationResult[Confirmation]) -> None:
    answer = confirmed.data if isinstance(confirmed, AcceptedElicitation) else None
    if not isinstance(answer, Confirmation) or not answer.erase:
        raise ToolError("nothing was erased: the person did not confirm it")


def _check_code(caller: Caller, given: str | None, found: LineageResult) -> None:
    if given is None:
        raise ToolError("nothing was erased: call with dry_run first, and pass the confirmation code that it gives")
    if not compare_digest(given.strip().encode(), _code(caller, found).encode()):
        raise ToolError("nothing was erased: the code does not fit what would be erased now; call with dry_run again")


def _code(caller: Caller, found: LineageResult) -> str:
    """Return the code that confirms the erasure of exactly these items."""
    names = "\n".join(sorted(f"{reason.sort} {reason.name}" for reason in found.reasons))
    return digest(caller.secret.encode(), f"erase\n{names}".encode(), sha256).hex()[:CODE_DIGITS]


def _things(found: LineageResult) -> list[ErasedItem]:
    return [ErasedItem(kind=thing.sort, id=str(thing.name), why=why) for thing, why in found.reasons.items()]


def _line(each: ErasedItem) -> str:
    return f"{each.kind} {each.id}: {beginning(each.why, 160)}"
