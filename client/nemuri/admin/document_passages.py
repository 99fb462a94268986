"""The text of a passage of a document that an agent read for a task."""

from typing import TYPE_CHECKING
from uuid import UUID

from nemuri.client.exchange import ClientError
from nemuri_contracts.event import Value
from nemuri_contracts.task_views import ReadPassage
from nemuri_infra.stores.blobs import BlobForgedError, BlobMissingError, Blobs
from nemuri_infra.stores.objects import IncompleteObjectError

if TYPE_CHECKING:
    from nemuri.client.client import Client

SURROUNDINGS = 600
"""Number of characters of the document shown before and after a passage."""


class PassageText(Value):
    """A passage with the text around it."""

    passage: ReadPassage
    before: str
    text: str
    after: str


async def passage_text(client: "Client", task_id: UUID, agent: str, part: int, label: str) -> PassageText:
    """Return the passage that an agent's answer cites by a label, with the text around it.

    Args:
        client: A client that may read the documents.
        task_id: Id of the task.
        agent: Id of the agent that read it.
        part: Number of the task's part for which it was read, from 0.
        label: Label of the passage, such as d1.

    Raises:
        ClientError: The task or the passage is unknown, or its document is no longer stored.
    """
    result = await client.progress(task_id)
    wanted = (agent, part, label)
    passage = next(
        (
            read_passage
            for read_passage in result.passages
            if (read_passage.agent_id, read_passage.part, read_passage.label) == wanted
        ),
        None,
    )
    if passage is None:
        raise ClientError(f"{agent} read no passage {label} for part {part + 1} of task {task_id}")
    detail = passage.detail
    try:
        text = await (await Blobs.open(client.log)).get(detail.ref)
    except (BlobMissingError, BlobForgedError, IncompleteObjectError) as error:
        raise ClientError(f"the document {detail.document} is no longer stored: {error}") from error
    return PassageText(
        passage=passage,
        before=text[max(0, detail.start - SURROUNDINGS) : detail.start],
        text=text[detail.start : detail.end],
        after=text[detail.end : detail.end + SURROUNDINGS],
    )
