"""What an agent's sections hold, in words for a prompt; what others said stands in quotation marks it cannot leave."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import JsonValue

from nemuri.contracts.tiers import WorkingMemory
from nemuri.domain.cognition.module import Prompt
from nemuri.domain.cognition.perceiving import listed, mapped
from nemuri.domain.cognition.situation import number
from nemuri.domain.cognition.state import Snapshot
from nemuri.domain.tiers.budget import PROMPT_TOKENS, Part, fit


def who(snapshot: Snapshot) -> str:
    """Who the agent is, in a paragraph."""
    profile = snapshot["profile"]
    name = str(profile.get("name") or snapshot.agent_id)
    more = [str(profile[key]) for key in ("role", "traits", "told") if profile.get(key)]
    return " ".join(
        [f"You are {name}, one of the people of a world of blocks.", *(each.rstrip(".") + "." for each in more)]
    )


def question(snapshot: Snapshot, task: str, lines: Iterable[str], about: Mapping[str, JsonValue], limit: int) -> Prompt:
    """A question to a model: who the agent is and its task, then these lines, of at most 4,096 tokens together."""
    texts: dict[Part, list[str]] = {"system": [f"{who(snapshot)} {task}"], "memories": [each for each in lines if each]}
    fitted = fit(texts, PROMPT_TOKENS, {"system": 0.2, "memories": 0.8})
    return Prompt("\n".join(fitted["system"]), "\n".join(fitted["memories"]), about, limit)


def quoted(text: object) -> str:
    """A text as a JSON string: in one line, between marks that nothing in it can close."""
    return json.dumps(str(text), ensure_ascii=False)


def said(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Who said what, a line each."""
    return [f"{each.get('speaker')}: {quoted(each.get('text', ''))}" for each in entries]


def present(working: Mapping[str, JsonValue]) -> list[str]:
    """Working memory, a fact on a line, what matters most first (document 004 §4.2.1)."""
    known = {name: value for name, value in working.items() if name in WorkingMemory.model_fields}
    return [*WorkingMemory.model_validate(known).lines()] if known else []


def wishes(
    goals: Mapping[str, JsonValue], plans: Mapping[str, JsonValue], progress: Mapping[str, JsonValue]
) -> list[str]:
    """Goals, the most important first, and the plan with the step that is on."""
    wanted = sorted(listed(goals, "active"), key=lambda each: -number(each.get("priority")))
    lines = [f"goal {each.get('id')}: {each.get('description')} ({each.get('priority')})" for each in wanted]
    steps = listed(plans, "steps")
    if steps:
        on = int(number(progress.get("step"))) if progress.get("course") == plans.get("id") else 0
        left = "; ".join(map(str, steps[on:])) or "done"
        lines.append(f"plan for {plans.get('goal')}, {plans.get('status')}, steps left: {left}")
    return lines


def feelings(social: Mapping[str, JsonValue], about: Iterable[str]) -> list[str]:
    """What the agent thinks of others."""
    known = {name: mapped(social.get(name)) for name in about}
    return [
        f"you find {name} {each.get('relationship')}, {each.get('sentiment')} of 10"
        for name, each in known.items()
        if each
    ]


def alerts(corrections: Mapping[str, JsonValue], acts: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is not as expected, and what became of the last acts, the newest first."""
    wrong = [
        f"{each.get('expected')}, but {each.get('actual')}: {each.get('correction')}" for each in listed(corrections)
    ]
    ended = [f"{each.get('text')}: {_ending(mapped(each.get('outcome')))}" for each in acts if each.get("outcome")]
    return [*reversed(wrong), *reversed(ended)]


def _ending(outcome: Mapping[str, JsonValue]) -> str:
    return "done" if outcome.get("done") else f"failed, {outcome.get('reason')}"
