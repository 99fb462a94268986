"""Texts for prompts about an agent's sections.

Words of others are quoted as JSON strings, so that they cannot end the quote.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from pydantic import JsonValue

from nemuri_contracts.tiered import WorkingMemory
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.percept_updates import HARMLESS, listed, mapped
from nemuri_society.cognition.prompt_budget import PROMPT_TOKENS, PromptSection, fit_to_budget
from nemuri_society.cognition.prompt_words import quoted
from nemuri_society.cognition.self_description import describe_agent, relation_to
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.task_texts import TaskText
from nemuri_society.cognition.working_memory import perceived_values

_TIMES: Final = re.compile(r"(?: \((\d+) times\))?(?: \(×(\d+)\))?$")
"""The number of equal acts at the end of a memory of them, and the number of equal memories that were merged."""


def module_prompt(
    snapshot: Snapshot, task: TaskText, lines: Iterable[str], about: Mapping[str, JsonValue], limit: int
) -> Prompt:
    """Return a prompt of at most 4,096 tokens. The system prompt has the agent and its task, the user prompt the lines,
    most important first. The task is never shortened.

    `about` is the same content as plain values, for models without language. `limit` is the maximum tokens of the
    answer.
    """
    texts: dict[PromptSection, list[str]] = {
        "system": describe_agent(snapshot),
        "memories": [line for line in lines if line],
    }
    fitted = fit_to_budget(texts, PROMPT_TOKENS - estimate_tokens(task.text) - 1, {"system": 0.2, "memories": 0.8})
    system = "\n".join([*fitted["system"], task.text])
    return Prompt(system, "\n".join(fitted["memories"]), about, limit, task.label)


def utterance_lines(entries: Iterable[Mapping[str, Any]], own: str, *, newest_first: bool = False) -> list[str]:
    """Return one line for each different utterance, oldest first by default, with the number of times if it was said
    several times. It stands where it was said last. Utterances of the agent named `own` begin with "you".
    """
    lines = [f"{_subject(entry, own)} said: {quoted(entry.get('text', ''))}" for entry in entries]
    latest = _counted(reversed(lines))
    return latest if newest_first else latest[::-1]


def _subject(entry: Mapping[str, Any], own: str) -> str:
    return "you" if entry.get("speaker") == own else str(entry.get("speaker"))


def working_memory_lines(snapshot: Snapshot, without: Collection[str] = ()) -> list[str]:
    """Return working memory as lines, most important first (document 004 §4.2.1). What percepts tell is as new as they
    are. `without` names fields that the prompt tells elsewhere.
    """
    working, present = snapshot["working_memory"], perceived_values(snapshot["percepts"])
    fields = WorkingMemory.model_fields.keys() - set(without)
    known = {name: present.get(name, value) for name, value in working.items() if name in fields}
    return [*WorkingMemory.model_validate(known).lines()] if known else []


def goal_lines(
    goals: Mapping[str, JsonValue], plans: Mapping[str, JsonValue], progress: Mapping[str, JsonValue]
) -> list[str]:
    """Return the plan with its remaining steps, then the goals that are left with the highest priority first."""
    over = [*listed(plans, "done"), *listed(plans, "given_up")]
    wanted = sorted(listed(goals, "active"), key=lambda goal: -number(goal.get("priority")))
    lines = [
        f"you want to: {goal.get('description')} (priority {goal.get('priority')} of 1)"
        for goal in wanted
        if goal.get("id") not in over
    ]
    return [*plan_lines(plans, progress), *lines]


def plan_lines(plans: Mapping[str, JsonValue], progress: Mapping[str, JsonValue]) -> list[str]:
    """Return a line with the plan in force, its status and its remaining steps. Empty if there is no plan.

    `progress` is the progress of the plan, or of another course that began before the plan.
    """
    steps = listed(plans, "steps")
    if not steps:
        return []
    begun = progress.get("course") == plans.get("id")
    status = str(progress.get("status") or "on") if begun else str(plans.get("status") or "on")
    left = steps[int(number(progress.get("step"))) if begun else 0 :] if status != "done" else []
    why = f": {progress.get('why')}" if status == "failed" and progress.get("why") else ""
    standing = {"on": "", "done": " (done)", "failed": f" (it has failed{why})"}.get(status, "")
    steps_left = f"; steps left: {', then '.join(map(str, left))}" if left else ""
    return [f"your plan: {plans.get('description')}{standing}{steps_left}"]


def opinion_lines(snapshot: Snapshot, about: Iterable[str]) -> list[str]:
    """Return one line for each agent named in `about` of whom the agent has an opinion: what they are to it, and how
    they seem to feel towards it by their words and deeds. A relation of the profile stands before what they have become
    since; alone it is told with the profile.
    """
    lines = []
    for name in dict.fromkeys(about):
        opinion = mapped(snapshot["social_model"].get(name))
        if not opinion:
            continue
        relationship, given = str(opinion.get("relationship") or ""), relation_to(snapshot["profile"], name)
        known = "" if relationship == given else f"{given}, of late {relationship}" if given else relationship
        seems = f"; towards you they seem: {opinion['seems']}" if opinion.get("seems") else ""
        likes = f"you like them {number(opinion.get('sentiment')):g} of 10"
        lines.append(f"{name} is to you: {known} ({likes}){seems}" if known else f"{name}: {likes}{seems}")
    return lines


def remembered_lines(contents: Iterable[str], told: Iterable[str] = ()) -> list[str]:
    """Return memories as prompt lines, best first. What is `told` elsewhere in the prompt, such as an utterance or a
    conclusion, is left out, and what several memories repeat stands once, with its number.
    """
    known, counts = set(told), Counter[str]()
    for content in contents:
        found = _TIMES.search(content)
        lines = content[: found.start() if found else None].splitlines()
        new = [line for line in dict.fromkeys(lines) if line and line not in known]
        if len(lines) > 1:
            known.update(new)
        if new:
            counts["\n".join(new)] += int(found[1] or 1) * int(found[2] or 1) if found else 1
    return [f"you remember: {quoted(content)}{_times(times)}" for content, times in counts.items()]


def _times(times: int) -> str:
    return f" ({times} times)" if times > 1 else ""


def spoken(entries: Iterable[Mapping[str, Any]], own: str) -> list[str]:
    """Return utterances in the words in which memories hold them."""
    return [
        f"{'I' if entry.get('speaker') == own else entry.get('speaker')} said: {entry.get('text')}" for entry in entries
    ]


def reflection_lines(thoughts: Mapping[str, JsonValue], most: int = 3) -> list[str]:
    """Return the last `most` conclusions, newest first, each once, then the last advice that they gave."""
    last = listed(thoughts)[-most:][::-1]
    lines = [f"you {_came_to(reflection)}: {reflection.get('insight')}" for reflection in last]
    advice = [str(reflection["goal_adjustment"]) for reflection in last if reflection.get("goal_adjustment")]
    return [*_counted(lines), *(f"your advice to yourself, about what to want: {one}" for one in advice[:1])]


def _came_to(reflection: Mapping[str, Any]) -> str:
    """Return the verb for a conclusion: what somebody outside let happen was noticed, the others were concluded."""
    return "noticed" if reflection.get("sort") == "event" else "concluded"


def alert_lines(
    corrections: Mapping[str, JsonValue],
    acts: Iterable[Mapping[str, Any]],
    told: Iterable[str] = (),
    since: float = -1.0,
) -> list[str]:
    """Return lines with the corrections after the second `since`, then lines with the outcomes of these acts, each
    newest first.

    Acts whose failure is `told` already or overcome, given by their words, are left out. So are outcomes of acts that
    were corrected, walks that succeeded and acts that were replaced.
    """
    known = {*told}
    corrected = {correction.get("act") for correction in listed(corrections)}
    wrong = [
        correction
        for correction in listed(corrections)
        if correction.get("text") not in known and number(correction.get("second")) > since
    ]
    left = [
        act
        for act in acts
        if act.get("outcome") and act.get("id") not in corrected and act.get("text") not in known and _tells(act)
    ]
    return [
        *_counted(
            f"{correction.get('text')}: expected {correction.get('expected')}, but {correction.get('actual')}:"
            f" {correction.get('correction')}"
            if correction.get("expected") != correction.get("text")
            else f"{correction.get('text')}: {correction.get('actual')}: {correction.get('correction')}"
            for correction in reversed(wrong)
        ),
        *_counted(reversed(outcome_lines(left))),
    ]


def _tells(act: Mapping[str, Any]) -> bool:
    outcome = mapped(act.get("outcome"))
    walked = mapped(act.get("act")).get("action") in {"go", "rest"} and outcome.get("done")
    return not walked and outcome.get("reason") not in HARMLESS


def _counted(lines: Iterable[str]) -> list[str]:
    """Return each line once, followed by the number of times if it occurs several times."""
    return [f"{line}{_times(times)}" for line, times in Counter(lines).items()]


def counted_outcomes(acts: Iterable[Mapping[str, Any]], told: Collection[str] = ()) -> list[str]:
    """Return one line for each different outcome of acts, with their number. Walks that succeeded are left out, if
    anything else happened, and so are acts whose failure is `told` already, given by their words.
    """
    ended = [act for act in acts if act.get("text") not in told or mapped(act.get("outcome")).get("done")]
    return _counted(outcome_lines([act for act in ended if _tells(act)] or ended))


def outcome_lines(acts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return one line for each act with its outcome. An act that was replaced is called "broken off", not failed."""
    return [f"{act.get('text')}: {_ending(mapped(act.get('outcome')))}" for act in acts]


def _ending(outcome: Mapping[str, JsonValue]) -> str:
    if outcome.get("done"):
        return "done"
    return f"{'broken off' if outcome.get('reason') in HARMLESS else 'failed'}, {outcome.get('reason')}"
