"""Views of what one agent passes on to another."""

from uuid import UUID

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.colleagues import LeftOut
from nemuri_contracts.event import Identifier, Value
from nemuri_contracts.strength import Provenance


class PassedMemory(Value):
    """A memory that one agent passes on to another."""

    original: UUID
    """Id of the source's memory."""
    memory_id: UUID
    """Id of the receiver's memory."""
    memory: MemoryContent
    """Content in the form that the receiver gets."""
    strength: float
    """Strength with which it begins in the receiver's memory."""
    provenance: Provenance


class HandoverView(Value):
    """The memories that one agent passes on to another, most useful first, and those that it does not pass on."""

    source: Identifier
    agent_id: Identifier
    """Agent that receives the memories."""
    memories: tuple[PassedMemory, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    refused: str | None = None
    """Reason why nothing could be passed on; None if it could."""
    pending: bool = False
    """True if the receiver cannot recall all of the memories yet."""
