"""The cached retrieval indexes of a process are limited in bytes, and their size is estimated well."""

import gc
import random
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_infra.process import resource_limits
from nemuri_infra.projections.memory_indexes import CachedIndex, MemoryIndexes
from nemuri_infra.retrieval.strength_recall import STRENGTH
from nemuri_infra.runtime.settings import MAX_INDEX_BYTES, MEGABYTE, Settings

DIMENSION = 256
WORDS = ["".join(random.Random(seed).choices("abcdefghijklmnop", k=7)) for seed in range(5_000)]


def mind(number: int, characters: int, chance: random.Random) -> CachedIndex[StrengthIndex]:
    """Return the index of an agent with `number` memories of `characters` characters each."""
    indexed = CachedIndex(STRENGTH, "python", StrengthIndex(DIMENSION))
    contents, states = zip(*(_remembered(characters, chance) for _ in range(number)), strict=True)
    indexed.index.add(
        [content.memory_id for content in contents],
        np.zeros((number, DIMENSION), np.float32),
        [content.memory.content for content in contents],
        contents=[RankedContent.of(content) for content in contents],
    )
    indexed.index.set_states(states)
    return indexed


def _remembered(characters: int, chance: random.Random) -> Remembered:
    memory_id, now = uuid4(), datetime.now(UTC)
    text = " ".join(chance.choices(WORDS, k=characters // 8))
    content = {"content": text, "tags": tuple(chance.choices(WORDS, k=5)), "learnings": {"use": text[:90]}}
    of = {"memory_id": memory_id, "agent_id": "python"}
    return (
        Content.model_validate(
            of | {"memory": content, "links": (), "vector": "v" * 80, "source": "task", "created_at": now, "created": 1}
        ),
        Memory.model_validate(of | {"stored_strength": 0.0, "perspectives": {"use": 0.1, "why": 0.2}, "changed": 1}),
    )


@pytest.mark.parametrize(("number", "characters"), [pytest.param(400, 200, marks=pytest.mark.long), (100, 2_000)])
def test_the_size_of_an_index_is_estimated_well(number: int, characters: int) -> None:
    """The estimated size of an index is within 40 % of the allocated bytes."""
    # Fills the caches of the process with the same texts, so that they are not measured.
    mind(number, characters, random.Random(1))
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    indexed = mind(number, characters, random.Random(1))
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert taken * 0.7 < indexed.index.nbytes < taken * 1.4


def test_indexes_beyond_the_limit_are_dropped() -> None:
    """Beyond the limit the least recently used indexes are dropped. An index that is itself above the limit is not
    kept, and a lower limit holds from the next index on.
    """
    chance, names = random.Random(2), [("db", f"agent{number}", "", "g") for number in range(5)]
    indexes = [mind(50, 200, chance) for _ in names]
    one = indexes[0].index.nbytes
    views: Any = None  # Nothing is read.
    cache = MemoryIndexes.within(int(4.5 * one), views).cached
    for name, indexed in zip(names, indexes, strict=True):
        cache.keep(name, indexed)
    assert [cache.get(name) for name in names] == [None, *indexes[1:]]
    cache.limit = int(2.5 * one)
    cache.keep(names[0], indexes[0])
    assert [cache.get(name) for name in names] == [indexes[0], None, None, None, indexes[4]]
    assert cache.bytes <= cache.limit
    cache.limit = one // 2
    cache.keep(names[1], indexes[1])
    assert cache.get(names[1]) is None


def test_the_limit_is_a_quarter_of_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is a quarter of the container's memory (cgroups version 1 or 2), or of the machine's if there is no
    container.
    """
    for indexed_texts, expected in ((f"{1024 * MEGABYTE}\n", 256 * MEGABYTE), ("max\n", None), ("", None)):
        file = tmp_path / "memory.max"
        file.write_text(indexed_texts)
        monkeypatch.setattr(resource_limits, "MEMORY_LIMIT_FILES", (tmp_path / "nowhere", file))
        resource_limits.memory_limit.cache_clear()
        found = Settings().index_bytes
        assert found == expected or (expected is None and 0 < found <= MAX_INDEX_BYTES)
    resource_limits.memory_limit.cache_clear()
    assert Settings(recall_memory=7).index_bytes == 7 * MEGABYTE
