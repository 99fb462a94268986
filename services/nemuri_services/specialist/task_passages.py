"""The passages of a task's documents that an agent reads: for its answer, and for a query of its own (tool `read`)."""

import re
from collections.abc import Sequence
from typing import Final

from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.query_texts import SUMMARY_EXPANSION
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.read_share import place_of
from nemuri_infra.models.sources import Source
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_services.specialist.passage_search import Wanted
from nemuri_services.specialist.passage_selection import DocumentPassage, PassageReader

MOST_REMEMBERED: Final = 8
"""Maximum number of memories whose words are searched in the documents: the first of the context."""
OUTLINE_CHARACTERS: Final = 6_000
"""Maximum characters of an outline of the documents."""
_DETAIL: Final = re.compile(r"d([1-9][0-9]*)")

reader = PassageReader()


async def passages_for(
    event: MemoriesRetrieved,
    agent: Agent,
    question: str,
    task: Task,
    remembered: Sequence[Remembered],
    resources: Resources,
) -> tuple[DocumentPassage, ...]:
    """Return the passages for an assignment, most relevant first: for its question, the words of the agent's
    perspectives, and what its memories add.
    """
    expansions = [text for name, text in event.expansions.items() if name != SUMMARY_EXPANSION]
    texts = [content.memory.content for content, _ in remembered[:MOST_REMEMBERED]]
    wanted = Wanted(question, tuple(expansions), tuple(texts))
    vectors = await calibrated_vectors(resources, agent)
    return await reader.passages(wanted, task.details, resources.blobs, vectors.comparing)


async def read_passages(
    query: str, task: Task, resources: Resources, *, agent: Agent | None = None, characters: int = 3_000
) -> tuple[DocumentPassage, ...]:
    """Return the passages of a task's documents for a query, most relevant first, with about `characters` characters
    together; none for a task without documents.

    Vectors are those of the agent's embedder, or of the platform's without an agent. Raises the errors of the embedder.
    """
    vectors = await calibrated_vectors(resources, agent)
    return await reader.passages(Wanted(query), task.details, resources.blobs, vectors.comparing, characters=characters)


def outline(task: Task) -> str:
    """Return the task's summary and the key points of its documents, each with document and pages: at most
    `OUTLINE_CHARACTERS` characters; "" for a task without documents.

    If there are too many key points, those of chunks at regular distances are returned.
    """
    if not task.details:
        return ""
    known = {detail.point for detail in task.details}
    told = (task.background or "").removeprefix(task.text).splitlines()
    summary = "\n".join(line for line in told if line not in known).strip()
    points = [f"- {place_of(detail.detail)}: {detail.point}" for detail in task.details if detail.point]
    left = max(1, OUTLINE_CHARACTERS - len(summary))
    step = max(1, -(-sum(len(point) + 1 for point in points) // left))
    return "\n".join(part for part in (summary, *points[::step]) if part)[:OUTLINE_CHARACTERS]


def detail_sources(passages: Sequence[DocumentPassage], first: int = 1) -> tuple[Source, ...]:
    """Return the passages as sources for a prompt, labelled "d1", "d2", … from the number `first`."""
    return tuple(passage.source(f"d{number}") for number, passage in enumerate(passages, first))


def cited_numbers(cited: Sequence[str], passages: int) -> tuple[int, ...]:
    """Return the numbers of the passages among cited labels, from 1 to `passages`, in their order.

    A greater number is that of a text which is no passage: the client's long answer to the agent's question.
    """
    numbers = (int(found[1]) for label in cited if (found := _DETAIL.fullmatch(label)))
    return tuple(number for number in numbers if number <= passages)
