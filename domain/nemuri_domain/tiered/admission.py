"""Admission of experiences to short-term memory (document 004 §4.3)."""

from collections.abc import Iterable

from nemuri_contracts.tiered import Cues, Experience, ExperienceOffered, ExperienceRecorded, WorkingMemory
from nemuri_domain.tiered.importance import detect_cues, importance
from nemuri_domain.tiered.policy import TiersPolicy


def cues_and_importance(
    experience: Experience, cues: Cues | None = None, rated: float | None = None, goals: Iterable[str] = ()
) -> tuple[Cues, float]:
    """Return the cues and the importance of an experience.

    If `cues` is None, they are detected in the experience's text; `goals` are used only for this. If `rated` is None,
    the importance is computed by rules.
    """
    known = detect_cues(experience.content, goals) if cues is None else cues
    return known, importance(experience.type, known) if rated is None else rated


def worth_recording(rated: float, rules: TiersPolicy) -> bool:
    """Return True if the importance is high enough for short-term memory."""
    return rated >= rules.short_term.min_importance


def admit(offered: ExperienceOffered, rules: TiersPolicy, vector: str) -> ExperienceRecorded | None:
    """Return the event that records an experience offered by a client; None if it is not important enough."""
    cues, rated = cues_and_importance(offered.experience, offered.cues, offered.importance)
    if not worth_recording(rated, rules):
        return None
    return ExperienceRecorded.following(
        offered, experience=offered.experience, cues=cues, importance=rated, vector=vector
    )


def action_experience(working: WorkingMemory, result: str, *, failed: bool) -> tuple[Experience, Cues] | None:
    """Return the current action of working memory as an experience, with its cues; None if there is no current action.

    `result` is the outcome of the action in words. `failed` sets the cue `failure`. The experience counts as related to
    the goals if it shares a term with an active goal.
    """
    action = working.current_action
    if action is None:
        return None
    done = " ".join(filter(None, (action.type, action.target)))
    experience = Experience(
        type="action",
        content=f"{done}: {result}" if result else done,
        participants=tuple(dict.fromkeys((working.agent_id, *(agent.name for agent in working.nearby_agents))))[:64],
        location=working.location,
        second=working.second,
    )
    cues = detect_cues(experience.content, working.active_goals)
    return experience, cues.model_copy(update={"failure": failed})
