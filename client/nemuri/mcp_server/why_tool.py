"""The tool that explains a task: why its agents were chosen, and why it got its memories."""

from collections.abc import Iterator
from typing import Annotated
from uuid import UUID

from mcp_types import CallToolResult
from pydantic import Field

from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.quoted_text import DATA_NOTE, beginning, plural, short
from nemuri.mcp_server.results import WhyCandidate, WhyResult, WhyRetrieval, answered
from nemuri.mcp_server.token_budget import DEFAULT_TOKENS, FRAME_TOKENS, MaxTokens, cost
from nemuri.mcp_server.tool_arguments import whole_id
from nemuri_contracts.explanation_views import ExplainedCandidate, Explanation, Routing
from nemuri_contracts.strength import FEATURES

LARGEST = 3
"""Number of features that the text of a candidate names: those that added or took most."""


async def why(
    context: ToolContext,
    task: Annotated[str, Field(description="Id of the task, as `ask` gives it: whole, or its first six digits.")],
    max_tokens: MaxTokens = DEFAULT_TOKENS,
) -> Annotated[CallToolResult, WhyResult]:
    """Explain a task: why it went to its agent, which memories were considered, and what decided their order.

    Use it when an answer surprises you. For each memory it tells what became of it (used by the answer, in the context,
    left out) and which features raised or lowered its score.
    """
    client = (await caller_of(context)).client
    task_id = await whole_id(client, "task", task)
    routing, found = await client.routing(task_id), await client.why(task_id)
    return _answer(task_id, routing, found, max_tokens)


def _answer(task_id: UUID, routing: Routing | None, found: tuple[Explanation, ...], max_tokens: int) -> CallToolResult:
    left = max_tokens - FRAME_TOKENS
    agents = tuple(dict.fromkeys(choice.agent_id for choice in routing.choices)) if routing else ()
    retrievals, parts = list[WhyRetrieval](), [_heading(task_id, routing, found)]
    for explanation in found:
        shown = _retrieval(explanation, left)
        if shown is None:
            break
        retrievals.append(shown)
        text = "\n".join(_lines(explanation, shown))
        parts.append(text)
        left -= cost(text, shown)
    more = len(found) - len(retrievals)
    if more:
        parts.append(f"{plural(more, 'more retrieval')} left out; repeat with a larger max_tokens.")
    result = WhyResult(
        task_id=task_id,
        agents=agents,
        decided_by=routing.decided_by if routing else None,
        retrievals=tuple(retrievals),
        more=more,
    )
    return answered("\n\n".join(parts), result)


def _heading(task_id: UUID, routing: Routing | None, found: tuple[Explanation, ...]) -> str:
    if routing is None:
        return f"Task {task_id} is not routed yet."
    scores = {score.agent_id: score.total for score in routing.scores}
    chosen = (f"{choice.agent_id} (score {scores.get(choice.agent_id, 0):.2f})" for choice in routing.choices)
    others = [f"{score.agent_id} {score.total:.2f}" for score in routing.scores if score.total < max(scores.values())][
        :3
    ]
    beside = f" Others: {', '.join(others)}." if others else ""
    none = "" if found else " No memory was looked for yet."
    went = ", ".join(dict.fromkeys(chosen))
    return f"Task {task_id} went to {went}, decided by {routing.decided_by}.{beside}{none} {DATA_NOTE}"


def _retrieval(explanation: Explanation, tokens: int) -> WhyRetrieval | None:
    """Return a retrieval with as many candidates as fit; None if not even its heading fits."""
    shown = WhyRetrieval(
        agent=explanation.agent_id, query=explanation.query, ranking=explanation.ranking, candidates=()
    )
    left = tokens - cost("\n".join(_lines(explanation, shown)), shown)
    if left < 0:
        return None
    rows = list[WhyCandidate]()
    for candidate in map(_candidate, explanation.candidates):
        left -= cost(_line(len(rows) + 1, candidate), candidate)
        if left < 0:
            break
        rows.append(candidate)
    more = len(explanation.candidates) - len(rows)
    return shown.model_copy(update={"candidates": tuple(rows), "more": more})


def _candidate(each: ExplainedCandidate) -> WhyCandidate:
    return WhyCandidate(
        memory_id=each.candidate.memory_id,
        score=round(each.candidate.score, 4),
        standing=f"{each.standing}{', archived' if each.candidate.archived else ''}",
        decided=each.decided,
        beginning=each.beginning,
        added={
            name: round(value, 3) for name, value in zip(FEATURES, each.contributions, strict=True) if round(value, 3)
        },
    )


def _lines(explanation: Explanation, shown: WhyRetrieval) -> Iterator[str]:
    step = f" in step {explanation.step}" if explanation.step else ""
    yield f"{explanation.agent_id}{step} looked for {beginning(explanation.query)}, ranked by {explanation.ranking}:"
    for kept in explanation.principles:
        yield f"- principle [{short(kept.memory_id)}], always in mind: {beginning(kept.beginning)}"
    if not explanation.candidates:
        yield "- nothing relevant was remembered"
    for rank, candidate in enumerate(shown.candidates, 1):
        yield _line(rank, candidate)
    if shown.more:
        yield f"- and {plural(shown.more, 'lower candidate')}; repeat with a larger max_tokens"


def _line(rank: int, each: WhyCandidate) -> str:
    largest = sorted(each.added.items(), key=lambda item: -abs(item[1]))[:LARGEST]
    added = ", ".join(f"{name} {value:+.3f}" for name, value in largest)
    head = f"{rank}. [{short(each.memory_id)}] score {each.score:.3f}, {each.standing}; decided by {each.decided}"
    return f"{head}{f' ({added})' if added else ''}: {beginning(each.beginning)}"
