"""How close an answer is to the memories that were in its context."""

from collections.abc import Sequence

from nemuri.domain.memory.content import embedded_text
from nemuri.domain.memory.mind import Content
from nemuri.domain.memory.usage import Shown
from nemuri.infra.vectors import Vectors


async def compared(answer: str, contents: Sequence[Content], vectors: Vectors) -> list[Shown]:
    """The memories with their tags and their cosine to the answer."""
    if not contents:
        return []
    rows = await vectors.of([answer, *(embedded_text(each.memory) for each in contents)])
    likeness = rows[1:] @ rows[0]
    return [
        Shown(each.memory_id, each.memory.tags, float(cosine)) for each, cosine in zip(contents, likeness, strict=True)
    ]
