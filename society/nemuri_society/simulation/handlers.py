"""The services of host and world processes: the events that they emit and their rights.

Neither has event handlers. Each has its own user on the bus.
"""

from nemuri_contracts.tiered import ConsolidationBegun, ExperienceRecorded, MemoriesAccessed, MemoryFormed
from nemuri_infra.runtime.service import Service
from nemuri_society.simulation.rights import host_rights, world_rights

host = Service(
    "host", also_emits=(ExperienceRecorded, ConsolidationBegun, MemoryFormed, MemoriesAccessed), rights=host_rights
)
world = Service("world", rights=world_rights)
