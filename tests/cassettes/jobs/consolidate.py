"""Cassette of `ConsolidateJob`."""

from nemuri_domain.tiered.memory_merging import MemoryText, extract_memory
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said
from tests.unit.infra.models.test_memory_consolidation import JOB

KNOWN = extract_memory(JOB.memories, JOB.rules)
MADE = MemoryText("Lila is a reliable partner for mining.", "semantic", ("Lila", "mining"), 0.8)

CASSETTE = Cassette(
    job=JOB,
    text='{"summary": "Lila is a reliable partner for mining.", "type": "semantic", "tags": ["Lila", "mining"],'
    ' "importance": 8}',
    value=MADE,
    otherwise=KNOWN,
    more={
        "a type that does not exist": Case(
            (Said('{"summary": "Mining.", "type": "dream", "tags": 3, "importance": "7/10"}'),),
            MemoryText("Mining.", KNOWN.type, KNOWN.tags, 0.7),
        ),
    },
)
