"""The information bottleneck: salient module outputs in a prompt of at most 4,096 tokens (document 002 §1.5, step 3c).

Each of the six sections has the share of document 004 §4.2.1, adjusted by urgency and by the agents nearby. Tokens that
a section does not use go to other sections. A text that does not fit is cut at the end of a sentence.
"""

from collections.abc import Collection, Mapping
from typing import Final

from pydantic import JsonValue

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_society.cognition import prompt_text
from nemuri_society.cognition.intents import VERBS
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.output_salience import Output
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.prompt_budget import PROMPT_TOKENS, PromptSection, fit_to_budget, section_shares
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import Situation
from nemuri_society.cognition.task_texts import task_text

HEADINGS: Final[Mapping[PromptSection, str]] = {
    "alerts": "Pressing:",
    "working_memory": "Now:",
    "goals": "Wanted:",
    "social": "The others, and what was said, the last words first:",
    "memories": "What comes to mind:",
}
"""Heading of each section of the user prompt, in the order of the prompt."""
TASK: Final = task_text("society_decision", verbs=", ".join(verb for verb in VERBS if verb != "plan"))
ANSWER_TOKENS: Final = 300
"""Maximum tokens of a decision."""
_FIXED: Final = estimate_tokens("\n".join([TASK.text, *HEADINGS.values()])) + len(HEADINGS) + 2


def fit_sections(
    snapshot: Snapshot, situation: Situation, passed: Collection[Output]
) -> dict[PromptSection, tuple[str, ...]]:
    """Return the lines of each prompt section that fit the token budget.

    The output of a module is included only if it is in `passed`, which means that it passed the salience threshold. The
    plan in force is always included.
    """
    texts: dict[PromptSection, list[str]] = {
        "system": [prompt_text.describe_agent(snapshot)],
        "working_memory": [
            *prompt_text.working_memory_lines(snapshot["working_memory"]),
            *prompt_text.surroundings_lines(snapshot["percepts"]),
        ],
        "goals": _goals(snapshot, passed),
        "social": _social(snapshot, situation, passed),
        "memories": _memories(snapshot, passed),
        "alerts": _alerts(snapshot, situation, passed),
    }
    return dict(fit_to_budget(texts, PROMPT_TOKENS - _FIXED, section_shares(situation.urgency, situation.company)))


def decision_prompt(parts: Mapping[PromptSection, tuple[str, ...]], about: Mapping[str, JsonValue]) -> Prompt:
    """Return the prompt for a decision: at most 4,096 estimated tokens in system and user prompt together.

    `about` is the same content as plain values, for models without language.
    """
    blocks = ["\n".join([heading, *parts.get(part, ())]) for part, heading in HEADINGS.items() if parts.get(part)]
    return Prompt(
        system="\n".join([*parts["system"], TASK.text]),
        user="\n".join(blocks),
        about=about,
        limit=ANSWER_TOKENS,
        task=TASK.label,
    )


def _goals(snapshot: Snapshot, passed: Collection[Output]) -> list[str]:
    progress = mapped(snapshot["working_memory"].get("progress"))
    if {"planning", "goal_generation"}.isdisjoint(passed):
        return prompt_text.plan_lines(snapshot["plans"], progress)
    return prompt_text.goal_lines(snapshot["goals"], snapshot["plans"], progress)


def _social(snapshot: Snapshot, situation: Situation, passed: Collection[Output]) -> list[str]:
    heard = (
        prompt_text.utterance_lines(listed(snapshot["conversations"])[-12:][::-1], snapshot.name)
        if "hearing" in passed
        else []
    )
    matters = not {"social_awareness", "hearing"}.isdisjoint(passed)
    felt = prompt_text.opinion_lines(snapshot["social_model"], situation.near) if matters else []
    return [*felt, *heard]


def _memories(snapshot: Snapshot, passed: Collection[Output]) -> list[str]:
    found = listed(snapshot["memory_recall"], "found") if "memory_recall" in passed else []
    thought = listed(snapshot["reflections"])[-3:] if "self_reflection" in passed else []
    remembered = [prompt_text.quoted(memory.get("content", "")) for memory in found]
    return [*remembered, *(f"you concluded: {reflection.get('insight')}" for reflection in reversed(thought))]


def _alerts(snapshot: Snapshot, situation: Situation, passed: Collection[Output]) -> list[str]:
    pressing = ["You have just been hurt."] if situation.hurt else []
    acts = listed(snapshot["action_history"])[-5:] if "skill_execution" in passed else []
    wrong = snapshot["action_corrections"] if "action_awareness" in passed else {}
    return pressing + prompt_text.alert_lines(wrong, acts)
