"""The knowledge of a society's agents when it begins: their first sections, and the events of their first memories."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from nemuri_contracts.event import derive
from nemuri_contracts.tiered import MAX_IDS_PER_EVENT, Experience, ExperienceRecorded, MemoryShared
from nemuri_infra.stores.vectors import vector_key
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.memory_events import EMBEDDING_DIMENSION, EMBEDDING_MODEL
from nemuri_society.simulation.worlds import world_class

FIRST_MEMORY_IMPORTANCE = 0.8
"""Importance of a first memory, 0 to 1: as high as that of a turning point, so that it outlives the first days."""
NEUTRAL_SENTIMENT = 5.0
"""Sentiment towards a person of whom only the relation is given, 0 to 10."""


def initial_sections(society: Society, resident: Resident) -> dict[str, dict[str, JsonValue]]:
    """Return the sections with which an agent begins: `profile`, and `social_model` if it has relations.

    The profile has what is given of `name`, `town`, `age`, `role`, `traits`, `goals`, `relations` and `home`, the
    resident's own `profile`, and what everybody in the society knows: `about`, `laws`, `places` (name to [x, z]),
    `actions`, and the `groups` to which the resident belongs.
    """
    opinions = {name: _opinion(words) for name, words in resident.relations.items()}
    return {"profile": _profile(society, resident)} | ({"social_model": opinions} if opinions else {})


def first_memories(resident: Resident) -> Iterator[ExperienceRecorded]:
    """Yield the events of a resident's first memories, oldest first. Equal residents give equal events."""
    for content in resident.memories:
        yield _first_memory(resident, content)


def shared_knowledge(society: Society) -> tuple[list[ExperienceRecorded], list[MemoryShared]]:
    """Return the events of what groups know from the beginning, and the events that share it with their members.

    The first member of a group has the memory and shares it with the others. Equal societies give equal events.
    """
    known, shared = list[ExperienceRecorded](), list[MemoryShared]()
    for group, contents in society.knowledge.items():
        author, *others = society.residents_of("all" if group == "all" else (group,))
        for content in contents:
            memory = _first_memory(author, content)
            known.append(memory)
            if others:
                shared.append(_shared(memory, tuple(other.id for other in others)))
    return known, shared


def _first_memory(resident: Resident, content: str) -> ExperienceRecorded:
    return ExperienceRecorded(
        event_id=derive(f"{resident.id}/first memory/{content}", ExperienceRecorded.kind_of()),
        agent_id=resident.id,
        experience=Experience(type="observation", content=content, participants=(resident.name,), second=0.0),
        importance=FIRST_MEMORY_IMPORTANCE,
        vector=vector_key(EMBEDDING_MODEL, EMBEDDING_DIMENSION, content),
    )


def _shared(memory: ExperienceRecorded, others: tuple[str, ...]) -> MemoryShared:
    """Return the event that shares a memory with others; with everybody if they are too many to be named."""
    named = len(others) <= MAX_IDS_PER_EVENT
    return MemoryShared(
        event_id=derive(memory.event_id, MemoryShared.kind_of()),
        agent_id=memory.agent_id,
        memory_id=memory.memory_id,
        scope="group" if named else "global",
        visible_to=others if named else (),
        second=0.0,
    )


def _profile(society: Society, resident: Resident) -> dict[str, JsonValue]:
    own: Mapping[str, JsonValue] = resident.model_dump(mode="json", exclude={"id", "memories", "model", "profile"})
    common: Mapping[str, JsonValue] = {
        "groups": [name for name, members in society.groups.items() if resident.name in members],
        "about": society.about or world_class(society.world).about,
        "laws": [*society.laws],
        "places": {name: [spot.x, spot.z] for name, spot in society.places.items()},
        "actions": [*(society.actions or ())],
    }
    return {name: value for name, value in {**own, **common}.items() if value or value == 0} | resident.profile


def _opinion(relationship: str) -> JsonValue:
    return {"sentiment": NEUTRAL_SENTIMENT, "relationship": relationship, "last_interaction": -1.0}
