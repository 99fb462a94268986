"""What the processes of societies say and use, declared as services do: each is a user of its own on the bus."""

from nemuri_contracts.tiered import ConsolidationBegun, ExperienceRecorded, MemoriesAccessed, MemoryFormed
from nemuri_infra.runtime.service import Service, Use

host = Service(
    "host",
    also_says=(ExperienceRecorded, ConsolidationBegun, MemoryFormed, MemoriesAccessed),
    uses=frozenset({Use.KEEPS_AGENTS}),
)
world = Service("world", uses=frozenset({Use.KEEPS_WORLDS}))
