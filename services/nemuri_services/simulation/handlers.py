"""The services of host and world processes: the events that they emit and the accesses that they need.

Neither has event handlers. Each has its own user on the bus.
"""

from nemuri_contracts.tiered import ConsolidationBegun, ExperienceRecorded, MemoriesAccessed, MemoryFormed
from nemuri_infra.runtime.service import Capability, Service

host = Service(
    "host",
    also_emits=(ExperienceRecorded, ConsolidationBegun, MemoryFormed, MemoriesAccessed),
    capabilities=frozenset({Capability.KEEPS_AGENTS}),
)
world = Service("world", capabilities=frozenset({Capability.KEEPS_WORLDS}))
