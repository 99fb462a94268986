"""Texts for prompts, about an agent's sections and about the rules of the world.

Words of others are quoted as JSON strings, so that they cannot end the quote.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import JsonValue

from nemuri_contracts.tiered import WorkingMemory
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.percept_updates import HARMLESS, listed, mapped
from nemuri_society.cognition.prompt_budget import PROMPT_TOKENS, PromptSection, fit_to_budget
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.task_texts import TaskText
from nemuri_society.world.game_rules import BUILDABLE_BLOCKS, COLLECTING_RULES, RECIPES, Recipe

_ABOUT: Final = {"town": "You live in {}", "traits": "You are {}", "role": "Your role: {}", "told": "{}"}
"""Templates for the parts of a profile."""


def describe_agent(snapshot: Snapshot) -> str:
    """Return a paragraph that tells the agent who it is."""
    profile = snapshot["profile"]
    known = {key: _listing(profile[key]) for key in ("town", "traits", "role", "told") if profile.get(key)}
    more = [_ABOUT[key].format(value).rstrip(".") + "." for key, value in known.items()]
    return " ".join([f"You are {snapshot.name}, one of the people of a world of blocks.", *more])


def _listing(value: object) -> str:
    """Return a value of the profile as text. A list becomes an enumeration."""
    if not isinstance(value, list | tuple):
        return str(value)
    *others, last = map(str, value)
    return f"{', '.join(others)} and {last}" if others else last


def module_prompt(
    snapshot: Snapshot, task: TaskText, lines: Iterable[str], about: Mapping[str, JsonValue], limit: int
) -> Prompt:
    """Return a prompt of at most 4,096 tokens. The system prompt has the agent and its task, the user prompt the lines.

    `about` is the same content as plain values, for models without language. `limit` is the maximum tokens of the
    answer.
    """
    texts: dict[PromptSection, list[str]] = {
        "system": [f"{describe_agent(snapshot)} {task.text}"],
        "memories": [line for line in lines if line],
    }
    fitted = fit_to_budget(texts, PROMPT_TOKENS, {"system": 0.2, "memories": 0.8})
    return Prompt("\n".join(fitted["system"]), "\n".join(fitted["memories"]), about, limit, task.label)


def quoted(text: object) -> str:
    """Return a text as a JSON string on one line. Nothing in the text can close its quotation marks."""
    return json.dumps(str(text), ensure_ascii=False)


def utterance_lines(entries: Iterable[Mapping[str, Any]], own: str) -> list[str]:
    """Return one line for each utterance. Utterances of the agent named `own` begin with "you"."""
    return [f"{_subject(entry, own)} said: {quoted(entry.get('text', ''))}" for entry in entries]


def _subject(entry: Mapping[str, Any], own: str) -> str:
    return "you" if entry.get("speaker") == own else str(entry.get("speaker"))


def working_memory_lines(working: Mapping[str, JsonValue]) -> list[str]:
    """Return working memory as lines, most important first (document 004 §4.2.1)."""
    known = {name: value for name, value in working.items() if name in WorkingMemory.model_fields}
    return [*WorkingMemory.model_validate(known).lines()] if known else []


def goal_lines(
    goals: Mapping[str, JsonValue], plans: Mapping[str, JsonValue], progress: Mapping[str, JsonValue]
) -> list[str]:
    """Return the plan with its remaining steps, then the goals with the highest priority first."""
    wanted = sorted(listed(goals, "active"), key=lambda goal: -number(goal.get("priority")))
    lines = [f"you want to: {goal.get('description')} (priority {goal.get('priority')} of 1)" for goal in wanted]
    return [*plan_lines(plans, progress), *lines]


def plan_lines(plans: Mapping[str, JsonValue], progress: Mapping[str, JsonValue]) -> list[str]:
    """Return a line with the plan in force, its status and its remaining steps. Empty if there is no plan."""
    steps = listed(plans, "steps")
    if not steps:
        return []
    begun = progress.get("course") == plans.get("id")
    left = steps[int(number(progress.get("step"))) if begun else 0 :]
    status = str(progress.get("status") or "on") if begun else "on"
    why = f": {progress.get('why')}" if status == "failed" and progress.get("why") else ""
    standing = {"on": "", "done": " (done)", "failed": f" (it has failed{why})"}.get(status, "")
    steps_left = f"; steps left: {', then '.join(map(str, left))}" if left else ""
    return [f"your plan: {plans.get('description')}{standing}{steps_left}"]


def opinion_lines(social: Mapping[str, JsonValue], about: Iterable[str]) -> list[str]:
    """Return one line for each agent named in `about` of whom the agent has an opinion."""
    known = {name: mapped(social.get(name)) for name in about}
    return [
        f"{name} is to you: {opinion.get('relationship')} (you like them {number(opinion.get('sentiment')):g} of 10)"
        for name, opinion in known.items()
        if opinion
    ]


def reflection_lines(thoughts: Mapping[str, JsonValue], most: int = 3) -> list[str]:
    """Return the last `most` conclusions, newest last, each with the goal adjustment that it suggests, if any."""
    lines = list[str]()
    for reflection in listed(thoughts)[-most:]:
        noticed = "noticed" if reflection.get("sort") == "event" else "concluded"
        lines.append(f"you {noticed}: {reflection.get('insight')}")
        if reflection.get("goal_adjustment"):
            lines.append(f"your advice to yourself, about what to want: {reflection['goal_adjustment']}")
    return lines


def alert_lines(corrections: Mapping[str, JsonValue], acts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return lines with the corrections, then lines with the outcomes of these acts, each newest first."""
    wrong = [
        f"{correction.get('expected')}, but {correction.get('actual')}: {correction.get('correction')}"
        for correction in listed(corrections)
    ]
    ended = outcome_lines(act for act in acts if act.get("outcome"))
    return [*_counted(reversed(wrong)), *_counted(reversed(ended))]


def _counted(lines: Iterable[str]) -> list[str]:
    """Return each line once, followed by the number of times if it occurs several times."""
    return [line if times == 1 else f"{line} ({times} times)" for line, times in Counter(lines).items()]


def outcome_lines(acts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return one line for each act with its outcome. An act that was replaced is called "broken off", not failed."""
    return [f"{act.get('text')}: {_ending(mapped(act.get('outcome')))}" for act in acts]


def _ending(outcome: Mapping[str, JsonValue]) -> str:
    if outcome.get("done"):
        return "done"
    return f"{'broken off' if outcome.get('reason') in HARMLESS else 'failed'}, {outcome.get('reason')}"


def surroundings_lines(percepts: Mapping[str, JsonValue]) -> list[str]:
    """Return a line with the kinds of blocks in sight. Empty if there are none."""
    there = dict.fromkeys(str(block.get("block")) for block in listed(percepts, "blocks"))
    return [f"in sight: {', '.join(there)}"] if there else []


def _made(item: str, recipe: Recipe) -> str:
    number = f"{recipe.count} " if recipe.count > 1 else ""
    near = f" near a {' and a '.join(recipe.stations)}" if recipe.stations else ""
    return f"{number}{item} from {_stacks(recipe.ingredients)}{near}"


def _stacks(uses: Mapping[str, int]) -> str:
    return " and ".join(f"{count} {item}" for item, count in uses.items())


def _taken() -> list[str]:
    """Return one line per item that can be collected, with its source. Items with a recipe are left out."""
    found = {rule.item: (block, rule.tool) for block, rule in COLLECTING_RULES.items() if rule.item not in RECIPES}
    return [
        f"{item}{'' if block == item else f' from {block}'}{f' with a {needs} or better' if needs else ''}"
        for item, (block, needs) in found.items()
    ]


RULES_TEXT: Final = (
    f"What can be made: {'; '.join(_made(*made) for made in RECIPES.items())}."
    f" What can be collected: {'; '.join(_taken())}. A table,"
    f" furnace or chest is used where it is placed; things are placed on {', '.join(BUILDABLE_BLOCKS)}."
)
"""The rules of the world as one paragraph, for planning prompts."""
