"""How something lived through gets into short-term memory (document 004 §4.3, from working memory on)."""

from collections.abc import Iterable

from nemuri_contracts.tiered import Cues, Experience, ExperienceOffered, ExperienceRecorded, WorkingMemory
from nemuri_domain.tiered.importance import cues_in, importance
from nemuri_domain.tiered.policy import TiersPolicy


def weighed(
    experience: Experience, cues: Cues | None = None, rated: float | None = None, goals: Iterable[str] = ()
) -> tuple[Cues, float]:
    """The cues of an experience, found in its words unless given, and its importance, by the rules unless given."""
    known = cues_in(experience.content, goals) if cues is None else cues
    return known, importance(experience.type, known) if rated is None else rated


def worth_recording(rated: float, rules: TiersPolicy) -> bool:
    """Whether an experience of this importance goes from working memory into short-term memory."""
    return rated >= rules.short_term.min_importance


def recorded(offered: ExperienceOffered, rules: TiersPolicy, vector: str) -> ExperienceRecorded | None:
    """What a client tells, as the agent's own; None for what is not important enough."""
    cues, rated = weighed(offered.experience, offered.cues, offered.importance)
    if not worth_recording(rated, rules):
        return None
    return ExperienceRecorded.following(
        offered, experience=offered.experience, cues=cues, importance=rated, vector=vector
    )


def completed(working: WorkingMemory, result: str, *, failed: bool) -> tuple[Experience, Cues] | None:
    """The action on an agent's mind as an experience, once it has come to `result`; None while there is none.

    It is related to the goals whose words it shares.
    """
    action = working.current_action
    if action is None:
        return None
    done = " ".join(filter(None, (action.type, action.target)))
    experience = Experience(
        type="action",
        content=f"{done}: {result}" if result else done,
        participants=tuple(dict.fromkeys((working.agent_id, *(each.name for each in working.nearby_agents))))[:64],
        location=working.location,
        second=working.second,
    )
    cues = cues_in(experience.content, working.active_goals)
    return experience, cues.model_copy(update={"failure": failed})
