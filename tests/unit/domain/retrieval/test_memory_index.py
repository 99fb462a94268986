"""Tests of the index that all memories of an agent lie in, whatever their kind."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.retrieval.memory_index import MemoryIndex

COLUMNS = np.dtype([("level", "i2"), ("project", "i4"), ("text", "O")])
QUERY = np.array([[1.0, 0.0]], np.float32)
Change = tuple[int, str | None, str]
"""Number of a memory, its project, and its text; "" removes the memory."""
HISTORY = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([None, "a", "b", "c"]), st.sampled_from(["", "key", "dog and key"])),
    max_size=20,
)


def changed(history: Sequence[Change]) -> MemoryIndex:
    """Return an index after these changes."""
    index = MemoryIndex(2, COLUMNS, ("project",))
    for number, project, text in history:
        if text:
            vector = np.array([[np.cos(number), np.sin(number)]], np.float32)
            index.put([UUID(int=number)], [(len(text), project, text.encode())], vector, [text])
        else:
            index.drop([UUID(int=number), UUID(int=99)])
    return index


def contents(index: MemoryIndex) -> dict[int, tuple[Any, ...]]:
    """Return all that an index has of each memory: columns, cosine, score by words, and words."""
    projects = {code: name for name, code in index.names["project"].items()}
    scores = index.postings.scores([["key"]], len(index))[0].tolist()
    cosines = index.cosines(QUERY)[:, 0].tolist()
    return {
        index.id(row).int: (level, projects[code], text, cosines[row], scores[row], index.words.of([row])[0].tolist())
        for row, (level, code, text) in enumerate(index.features.tolist())
    }


@given(HISTORY)
def test_an_index_after_changes_equals_a_new_one(history: list[Change]) -> None:
    """After any insertions, replacements and removals an index has what one has that knows the last state only, and no
    name that no memory has.
    """
    last = {number: (number, project, text) for number, project, text in history}
    present = [change for change in last.values() if change[2]]

    index = changed(history)

    assert contents(index) == pytest.approx(contents(changed(present)))
    assert set(index.names["project"]) >= {project for _, project, _ in present}
    index.drop([UUID(int=number) for number in range(5)])
    assert len(index) == 0
    assert set(index.names["project"]) <= {None, *(project for _, project, _ in present)}


def test_a_dropped_memory_leaves_no_name() -> None:
    """The name that only a dropped memory had is gone, and the others keep theirs."""
    index = changed([(1, "a", "key"), (2, "b", "key"), (3, None, "key"), (1, "a", "")])

    assert set(index.names["project"]) == {None, "b"}
    assert {number: project for number, (_, project, *_) in contents(index).items()} == {2: "b", 3: None}
    assert [index.id(row).int for row in np.flatnonzero(index.among("project", ["a", "b"])).tolist()] == [2]


def test_what_is_computed_from_columns_is_kept_until_one_changes() -> None:
    """A derived value is computed again after a change of its columns or of a row, and not after another change."""
    index, times = changed([(1, "a", "key"), (2, "b", "key")]), list[int]()

    def total(index: MemoryIndex) -> int:
        times.append(len(index))
        return int(index.features["level"].sum())

    def value() -> int:
        return index.derived(("level",), total)

    assert (value(), value(), len(times)) == (6, 6, 1)
    index.update([UUID(int=1)], level=[3], project=["c"])
    assert (value(), len(times)) == (6, 1)
    index.update([UUID(int=1), UUID(int=77)], level=[5, 9])
    assert (value(), len(times)) == (8, 2)
    index.drop([UUID(int=2)])
    assert (value(), len(times)) == (5, 3)


def test_the_size_grows_and_falls_with_the_memories() -> None:
    """The size in bytes counts vectors, objects, words and names."""
    index = changed([(number, f"project {number}", "key " * 50) for number in range(200)])
    full = index.nbytes
    index.drop([UUID(int=number) for number in range(150)])

    assert full > 200 * 600
    assert index.nbytes < full / 2


def test_memories_that_say_a_sentence_are_found_by_its_words() -> None:
    """A memory counts by its share of the sentence's words, however long it is, and the one with most comes first."""
    texts = [
        "The ferry leaves Bergen at nine.",
        "Bergen is rainy. The ferry leaves Bergen at nine, and the bakery in the harbour opens at six for its guests.",
        "The ferry is red.",
        "Ada is a cat.",
    ]
    index = MemoryIndex(1, COLUMNS, ("project",))
    ids = [UUID(int=number) for number in range(len(texts))]
    index.put(ids, [(0, None, b"") for _ in texts], np.ones((len(texts), 1), np.float32), texts)
    sentence = "As you know, the ferry leaves Bergen at nine."
    assert index.saying(sentence, least=0.5, limit=5) == ids[:2]
    assert index.saying(sentence, least=0.1, limit=5) == ids[:3]
    assert index.saying(sentence, least=0.1, limit=1) == ids[:1]
    assert index.saying("", least=0.1, limit=5) == []
