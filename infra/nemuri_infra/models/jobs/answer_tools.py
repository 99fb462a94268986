"""The tools of an answering model: their descriptions, their calls, and the results of earlier calls."""

from typing import Final

from nemuri_contracts.steps import Tool as Name
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.answer_jobs import AnswerJob, TakenStep, ToolRequest
from nemuri_infra.models.chat import Tool, ToolCall, ToolTurn
from nemuri_infra.models.json_schema import TEXT, closed, described
from nemuri_infra.models.prompt_fences import digest, fenced, noted

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


def offered(job: AnswerJob) -> tuple[Tool, ...]:
    """Return the tools of a job for the chat."""
    return tuple(_TOOLS[each] for each in job.tools)


def turns(job: AnswerJob) -> tuple[ToolTurn, ...]:
    """Return the earlier calls of a job with their results."""
    return tuple(ToolTurn(_call(each, number), _result(each)) for number, each in enumerate(job.steps, 1))


def read(call: ToolCall, job: AnswerJob) -> ToolRequest:
    """Return a model's call as a request. A call that cannot be carried out has a problem, which the model is told."""
    name: Name = next((each for each in job.tools if each == call.name), job.tools[0])
    given = call.arguments
    query = str(given.get("question") or given.get("query") or "").strip()[:MAX_QUERY]
    colleague = normalised(str(given.get("colleague") or "")) or None if name == "consult" else None
    problem = call.problem or ("" if query else "the call has no text to search for")
    known = [each.agent_id for each in job.colleagues]
    if not problem and name == "consult" and colleague not in known:
        problem = f"there is no colleague of this name; there are {', '.join(known)}"
    if colleague not in known:
        colleague = None
    if not problem and any((each.tool, each.query, each.colleague) == (name, query, colleague) for each in job.steps):
        problem = "you have called this tool with the same arguments before"
    return ToolRequest(name, query, colleague, problem)


def _call(step: TakenStep, number: int) -> ToolCall:
    if step.tool == "consult":
        return ToolCall(f"step_{number}", step.tool, {"colleague": step.colleague or "", "question": step.query})
    return ToolCall(f"step_{number}", step.tool, {"query": step.query})


def _result(step: TakenStep) -> str:
    if step.problem:
        return f"The call was not carried out: {step.problem}"
    if not step.sources:
        return UNANSWERED if step.tool == "consult" else NOTHING
    mark = digest(noted(each) for each in step.sources)
    return "\n\n".join(fenced(each.label, noted(each), mark) for each in step.sources)
