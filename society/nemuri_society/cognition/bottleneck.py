"""The information bottleneck: salient module outputs in a prompt of at most 4,096 tokens (document 002 §1.5, step 3c).

Each of the six sections has the share of document 004 §4.2.1, adjusted by urgency and by the agents nearby. Tokens that
a section does not use go to other sections. A text that does not fit is cut at the end of a sentence.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import JsonValue

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_society.cognition import prompt_text, situation_text
from nemuri_society.cognition.attempts import failed_words
from nemuri_society.cognition.commands import has_commands
from nemuri_society.cognition.courses import plan_progress, progress_line
from nemuri_society.cognition.deeds import DEED_SECONDS, deed_lines
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.output_salience import Output
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.prompt_budget import PROMPT_TOKENS, PromptSection, fit_to_budget, section_shares
from nemuri_society.cognition.self_description import describe_agent
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import Situation, decided_at, number
from nemuri_society.cognition.surroundings import allowed_actions
from nemuri_society.cognition.task_texts import COMMANDS, TaskText, block_actions, task_text

HEADINGS: Final[Mapping[PromptSection, str]] = {
    "alerts": "Pressing:",
    "working_memory": "Now:",
    "goals": "Wanted:",
    "social": "The others, and what was said, the last words first:",
    "memories": "What comes to mind:",
}
"""Heading of each section of the user prompt, in the order of the prompt."""
COMMAND_TASK: Final = task_text("society_decision", actions=COMMANDS)
"""The task in a world with commands of its own."""
PROMPT_UTTERANCES: Final = 12
"""Number of the last utterances in the prompt."""
ANSWER_TOKENS: Final = 300
"""Maximum tokens of a decision."""


@lru_cache(maxsize=64)
def block_task(allowed: frozenset[str] | None) -> TaskText:
    """Return the task in a world of blocks that allows these actions; None allows all."""
    return task_text("society_decision", actions=block_actions(allowed))


_FIXED: Final = (
    max(estimate_tokens("\n".join([task.text, *HEADINGS.values()])) for task in (block_task(None), COMMAND_TASK))
    + len(HEADINGS)
    + 2
)


def fit_sections(
    snapshot: Snapshot, situation: Situation, passed: Collection[Output]
) -> dict[PromptSection, tuple[str, ...]]:
    """Return the lines of each prompt section that fit the token budget.

    The output of a module is included only if it is in `passed`, which means that it passed the salience threshold. The
    plan in force, what can be done now, what failed and why, and the last advice are always included.
    """
    wanted = _goals(snapshot, passed)
    texts: dict[PromptSection, list[str]] = {
        "system": describe_agent(snapshot),
        "working_memory": [
            *prompt_text.working_memory_lines(snapshot, ("active_goals",) if wanted else ()),
            *situation_text.place_lines(snapshot),
            *situation_text.ability_lines(snapshot, _aims(snapshot)),
        ],
        "goals": wanted,
        "social": _social(snapshot, situation, passed),
        "memories": _memories(snapshot, passed),
        "alerts": _alerts(snapshot, situation, passed),
    }
    return dict(fit_to_budget(texts, PROMPT_TOKENS - _FIXED, section_shares(situation.urgency, situation.company)))


def decision_task(snapshot: Snapshot) -> TaskText:
    """Return the task for the world that an agent perceives."""
    return COMMAND_TASK if has_commands(snapshot["percepts"]) else block_task(allowed_actions(snapshot["profile"]))


def decision_prompt(
    parts: Mapping[PromptSection, tuple[str, ...]], task: TaskText, about: Mapping[str, JsonValue]
) -> Prompt:
    """Return the prompt for a decision: at most 4,096 estimated tokens in system and user prompt together.

    `about` is the same content as plain values, for models without language.
    """
    blocks = ["\n".join([heading, *parts.get(part, ())]) for part, heading in HEADINGS.items() if parts.get(part)]
    return Prompt(
        system="\n".join([*parts["system"], task.text]),
        user="\n".join(blocks),
        about=about,
        limit=ANSWER_TOKENS,
        task=task.label,
    )


def _aims(snapshot: Snapshot) -> list[str]:
    """Return the goal of the plan, or else the most important goal that is left."""
    plans, progress = snapshot["plans"], plan_progress(snapshot["working_memory"], snapshot["plans"])
    if plans.get("status") == "active" and plans.get("description") and progress.get("status") != "done":
        return [str(plans["description"])]
    over = [*listed(plans, "done"), *listed(plans, "given_up"), plans.get("goal")]
    left = [goal for goal in listed(snapshot["goals"], "active") if goal.get("id") not in over]
    return [str(goal.get("description")) for goal in sorted(left, key=lambda goal: -number(goal.get("priority")))[:1]]


def _goals(snapshot: Snapshot, passed: Collection[Output]) -> list[str]:
    progress = plan_progress(snapshot["working_memory"], snapshot["plans"])
    if {"planning", "goal_generation"}.isdisjoint(passed):
        return prompt_text.plan_lines(snapshot["plans"], progress)
    return prompt_text.goal_lines(snapshot["goals"], snapshot["plans"], progress)


def _social(snapshot: Snapshot, situation: Situation, passed: Collection[Output]) -> list[str]:
    heard = _heard(snapshot, passed)
    deeds = listed(snapshot["deeds"])
    since = snapshot.second - DEED_SECONDS
    doers = [str(deed.get("by")) for deed in deeds if number(deed.get("second")) > since]
    matters = not {"social_awareness", "hearing", "deeds"}.isdisjoint(passed)
    felt = prompt_text.opinion_lines(snapshot, [*situation.near, *doers]) if matters else []
    done = deed_lines(snapshot["deeds"], snapshot.second, since)
    return [*done, *felt, *prompt_text.utterance_lines(heard, snapshot.name, newest_first=True)]


def _heard(snapshot: Snapshot, passed: Collection[Output]) -> list[dict[str, Any]]:
    return listed(snapshot["conversations"])[-PROMPT_UTTERANCES:] if "hearing" in passed else []


def _memories(snapshot: Snapshot, passed: Collection[Output]) -> list[str]:
    thought = prompt_text.reflection_lines(snapshot["reflections"], 3 if "self_reflection" in passed else 1)
    found = listed(snapshot["memory_recall"], "found") if "memory_recall" in passed else []
    told = [str(reflection.get("insight")) for reflection in listed(snapshot["reflections"])[-3:]]
    told += prompt_text.spoken(_heard(snapshot, passed), snapshot.name)
    return [*thought, *prompt_text.remembered_lines((str(memory.get("content", "")) for memory in found), told)]


def _alerts(snapshot: Snapshot, situation: Situation, passed: Collection[Output]) -> list[str]:
    pressing = ["You have just been hurt."] if situation.hurt else []
    acts = listed(snapshot["action_history"])[-5:] if "skill_execution" in passed else []
    wrong = snapshot["action_corrections"] if "action_awareness" in passed else {}
    progress = mapped(snapshot["working_memory"].get("progress"))
    course = [line] if (line := progress_line(progress, snapshot["decision"])) else []
    failed = situation_text.failure_lines(snapshot)
    tried = failed_words(snapshot["attempts"])  # Those that are possible by now are not told at all.
    new = prompt_text.alert_lines(wrong, acts, tried, decided_at(snapshot))
    return [*pressing, *course, *failed, *new]
