"""A search for a memory that says the same already."""

from typing import TYPE_CHECKING, Final
from uuid import UUID

from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.strength.memory_content import same_text

if TYPE_CHECKING:
    from nemuri.client.client import Client

COMPARED: Final = 5
"""Number of memories that are compared. A memory with the same text is the most relevant one for it."""


async def remembered_already(client: "Client", agent: str, memory: MemoryContent) -> UUID | None:
    """Return the id of a memory that says the same (`same_text`); None if there is none.

    Nothing is recorded. Raises `ClientError`.
    """
    if (key := same_text(memory)) is None:
        return None
    scope = memory.scope
    domains = [scope.name] if scope.level == "domain" and scope.name else []
    project = scope.name if scope.level == "project" else None
    found = await client.recall(agent, memory.content, top=COMPARED, project=project, domains=domains, deep=True)
    return next((each.candidate.memory_id for each in found.memories if same_text(each.memory) == key), None)
