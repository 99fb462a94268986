"""The retrieval index of a folded mind, for retrievals from past and hypothetical states."""

from collections.abc import Mapping
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.memory_content import indexed_text
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.retrieval_index import AgentIndex


def index_of(mind: Mind, vectors: Mapping[UUID, NDArray[np.float32]], dimension: int) -> AgentIndex:
    """Return the index of all memories of a mind, as the services hold it for the present one.

    Args:
        mind: The mind, with all its memories and their contents.
        vectors: Vectors by memory. A memory without one is found by its words alone.
        dimension: Dimension of the vectors.
    """
    index, none = AgentIndex(dimension), np.zeros(dimension, np.float32)
    ids = sorted(mind.memories)
    if not ids:
        return index
    contents = [mind.contents[memory_id] for memory_id in ids]
    index.add(
        ids,
        np.stack([vectors.get(memory_id, none) for memory_id in ids]),
        [indexed_text(content.memory) for content in contents],
        contents=[RankedContent.of(content) for content in contents],
        scopes=[content.memory.scope for content in contents],
        sources=[content.origin.source for content in contents],
        turns=[content.memory.turn for content in contents],
    )
    index.set_states([mind.memories[memory_id] for memory_id in ids])
    return index
