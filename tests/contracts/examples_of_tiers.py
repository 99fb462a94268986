"""One example of each kind of event of tiered memory, with every field filled."""

from uuid import UUID

from nemuri_contracts.event import Event, Usage
from nemuri_contracts.tiered import (
    ConsolidationAsked,
    ConsolidationBegun,
    Cues,
    Experience,
    ExperienceOffered,
    ExperienceRecorded,
    FormationDue,
    Group,
    MemoriesAccessed,
    MemoriesRewound,
    MemoryAccess,
    MemoryFormed,
    MemoryShared,
    Place,
)

MEMORY, OTHER, GONE = (UUID(int=number) for number in (4, 5, 6))
VECTOR = "model-1.256." + "0" * 64
LIVED = Experience(
    type="conversation",
    content="Lilaが「一緒に鉄を採掘しよう」と提案した",
    participants=("buyer", "Lila"),
    location=Place(x=100.0, y=64.0, z=-200.0, biome="forest", nearby_structures=("house_north",)),
    second=12.5,
)
CUES = Cues(
    request=True, proposal=True, emotion=0.5, goal_related=True, failure=True, new_agent=True, threat=True
)  # fmt: skip
GROUP = Group(layer="short", memory_ids=(MEMORY, OTHER))
PARTS: dict[type[Event], dict[str, object]] = {
    ExperienceOffered: {"experience": LIVED, "cues": CUES, "importance": 0.7},
    ExperienceRecorded: {"experience": LIVED, "cues": CUES, "importance": 0.7, "vector": VECTOR},
    ConsolidationAsked: {"because": "reflection", "second": 600.0},
    ConsolidationBegun: {"because": "capacity", "groups": (GROUP,), "deleted": (GONE,), "second": 600.0},
    FormationDue: {"group": GROUP, "second": 600.0},
    MemoryFormed: {
        "type": "semantic", "content": "Lilaは信頼できる採掘パートナー", "tags": ("Lila", "採掘"), "importance": 0.8,
        "sources": (MEMORY, OTHER), "formed_by": "extractive",
        "usage": Usage(model="extractive", input_tokens=10, output_tokens=2, cached_tokens=4, prompts=("answer@1",),
            money=0.5, over_budget="the task has a budget of 1"),
        "vector": VECTOR, "second": 600.0,
    },
    MemoriesAccessed: {"accessed": (MemoryAccess(memory_id=MEMORY, times=3),), "second": 601.0},
    MemoryShared: {"memory_id": MEMORY, "scope": "group", "visible_to": ("seller",), "second": 602.0},
    MemoriesRewound: {"memory_ids": (MEMORY, OTHER), "second": 300.0},
}  # fmt: skip
"""Fields of each example, by its class, without the fields that all events have."""
