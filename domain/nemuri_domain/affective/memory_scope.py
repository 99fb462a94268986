"""The scope of an affective memory: what it concerns, where it matters, and whether it is shown unasked."""

from nemuri_contracts.affective import Concern, ContextShown, MemoryRescoped
from nemuri_domain.affective.aggregate import MAX_IDLE_SHOWS, AffectMemory, AffectMind


def with_scope(mind: AffectMind, event: ContextShown | MemoryRescoped) -> AffectMind:
    """Return the affective memory after a block of memories was shown, or after a person said where one matters."""
    return _rescoped(mind, event) if isinstance(event, MemoryRescoped) else _shown(mind, event)


def _shown(mind: AffectMind, event: ContextShown) -> AffectMind:
    """Return the affective memory after the start of a session. Of what was shown unasked, all that neither holds until
    it is revoked nor is protected has one more idle show. Blocks for a prompt change nothing.
    """
    found = mind.not_deleted(event.memories if event.occasion == "session_start" else ())
    idle = (
        affect_memory
        for affect_memory in found
        if not affect_memory.holds and not affect_memory.protected and affect_memory.idle_shows < MAX_IDLE_SHOWS
    )
    by = event.sequence or 0
    return mind.with_memories(
        affect_memory.replace(idle_shows=affect_memory.idle_shows + 1, changed=by) for affect_memory in idle
    )


def _rescoped(mind: AffectMind, event: MemoryRescoped) -> AffectMind:
    """Return the affective memory after a person said where a memory matters. What holds from now on until it is
    revoked fades as slowly as such memories do, from its present retention on.
    """
    changes: dict[str, object] = {"idle_shows": 0, "changed": event.sequence or 0}
    if event.project is not None:
        changes["project"] = event.project
    if event.only_asked is not None:
        changes["only_asked"] = event.only_asked
    found = mind.not_deleted((event.memory_id,))
    return mind.with_memories(
        _about(affect_memory, event, mind).replace(**changes, revision=affect_memory.revision + 1)
        for affect_memory in found
    )


def _about(memory: AffectMemory, event: MemoryRescoped, mind: AffectMind) -> AffectMemory:
    """Return a memory that is about the user or not. What was lastingly said about the user is a rule otherwise."""
    if event.about_user is None or mind.agent is None:
        return memory
    if not event.about_user:
        concern: Concern = "rule" if memory.concern == "user" else "work" if memory.personal else memory.concern
        return memory.replace(concern=concern)
    slow = mind.agent.rules.retention.standing_coefficient
    memory = memory.replace(concern="user")
    if memory.archived or slow is None or slow <= memory.coefficient:
        return memory
    return memory.replace(kept=memory.retention(mind.night), zero=float(mind.night), coefficient=slow)
