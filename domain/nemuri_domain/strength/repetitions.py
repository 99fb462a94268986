"""Memories that say the same: of several with the same text one is recalled."""

from collections.abc import Hashable, Sequence
from datetime import datetime

from nemuri_domain.strength.memory_content import same_text, told_at
from nemuri_domain.strength.ranking import RelevantMemory


def without_repetitions(found: Sequence[RelevantMemory]) -> list[RelevantMemory]:
    """Return the memories in their order, without those whose text another one of them repeats (`same_text`).

    Of equal texts an active memory stays rather than an archived one, and then the one that was told last, because it
    says what holds now.
    """
    standing: dict[Hashable, RelevantMemory] = {}
    for each in found:
        text = same_text(each.content.memory)
        key = each.memory.memory_id if text is None else text
        if key not in standing or _standing(each) > _standing(standing[key]):
            standing[key] = each
    kept = {each.memory.memory_id for each in standing.values()}
    return [each for each in found if each.memory.memory_id in kept]


def _standing(found: RelevantMemory) -> tuple[bool, datetime, str]:
    return found.memory.status == "active", told_at(found.content), str(found.memory.memory_id)
