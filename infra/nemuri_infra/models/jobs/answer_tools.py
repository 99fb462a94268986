"""The tools of an answering model: their descriptions, their calls, and the results of earlier calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_contracts.steps import Tool as Name
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.chat import Tool, ToolCall, ToolTurn
from nemuri_infra.models.json_schema import TEXT, closed, described
from nemuri_infra.models.prompt_fences import digest, fenced, noted
from nemuri_infra.models.sources import Source

MAX_QUERY: Final = 2_000
"""Maximum characters of a query. A longer one is cut."""
NOTHING: Final = "Nothing new was found."
UNANSWERED: Final = "The colleague gave no answer."
_TOOLS: Final[dict[Name, Tool]] = {
    "recall": Tool(
        "recall",
        "Search your whole memory for other words than those of the question, for example a name or a term that a "
        "source mentions. Returns further memories.",
        closed("recall_arguments", query=described(TEXT, "What to search for, in a few telling words")),
    ),
    "read": Tool(
        "read",
        "Search the documents at hand for a passage that is not among the sources. Returns further passages.",
        closed("read_arguments", query=described(TEXT, "What the passage says, in its likely words")),
    ),
    "consult": Tool(
        "consult",
        "Ask one of the listed colleagues a question that its table of contents covers and you cannot answer. Returns "
        "the colleague's answer.",
        closed(
            "consult_arguments",
            colleague=described(TEXT, "Name of the colleague as listed"),
            question=described(TEXT, "A question that is understood without this conversation"),
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Colleague:
    """Another agent that may be asked a question."""

    agent_id: str
    role: str
    contents: str
    """Table of contents of its memory."""


@dataclass(frozen=True, slots=True)
class EarlierCall:
    """An earlier call of a tool in the same job, and its result."""

    tool: Name
    query: str
    colleague: str | None = None
    sources: tuple[Source, ...] = ()
    """The found sources; empty if there is nothing new."""
    problem: str = ""
    """Why the tool was not run; "" if it was."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A model's call of a tool, which it needs before it answers."""

    tool: Name
    query: str
    colleague: str | None = None
    problem: str = ""
    """The fault of the call, in one line for the model; "" if it can be carried out."""


def offered(tools: Sequence[Name]) -> tuple[Tool, ...]:
    """Return the tools for the chat."""
    return tuple(_TOOLS[tool] for tool in tools)


def turns(steps: Sequence[EarlierCall]) -> tuple[ToolTurn, ...]:
    """Return earlier calls with their results."""
    return tuple(ToolTurn(_call(step, number), _result(step)) for number, step in enumerate(steps, 1))


def read(
    call: ToolCall, tools: Sequence[Name], colleagues: Sequence[Colleague], steps: Sequence[EarlierCall]
) -> ToolRequest:
    """Return a model's call as a request. A call that cannot be carried out has a problem, which the model is told."""
    name: Name = next((tool for tool in tools if tool == call.name), tools[0])
    given = call.arguments
    query = str(given.get("question") or given.get("query") or "").strip()[:MAX_QUERY]
    colleague = normalised(str(given.get("colleague") or "")) or None if name == "consult" else None
    problem = call.problem or ("" if query else "the call has no text to search for")
    known = [one.agent_id for one in colleagues]
    if not problem and name == "consult" and colleague not in known:
        problem = f"there is no colleague of this name; there are {', '.join(known)}"
    if colleague not in known:
        colleague = None
    if not problem and any((step.tool, step.query, step.colleague) == (name, query, colleague) for step in steps):
        problem = "you have called this tool with the same arguments before"
    return ToolRequest(name, query, colleague, problem)


def _call(step: EarlierCall, number: int) -> ToolCall:
    if step.tool == "consult":
        return ToolCall(f"step_{number}", step.tool, {"colleague": step.colleague or "", "question": step.query})
    return ToolCall(f"step_{number}", step.tool, {"query": step.query})


def _result(step: EarlierCall) -> str:
    if step.problem:
        return f"The call was not carried out: {step.problem}"
    if not step.sources:
        return UNANSWERED if step.tool == "consult" else NOTHING
    mark = digest(noted(source) for source in step.sources)
    return "\n\n".join(fenced(source.label, noted(source), mark) for source in step.sources)
