"""A memory as a JSON object."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nemuri_contracts.memory_views import MemoryView


def flat(view: "MemoryView") -> dict[str, Any]:
    """Return a memory's view as one flat object, with the fields of its content beside the others."""
    fields = view.model_dump(mode="json")
    content: dict[str, Any] = fields.pop("memory")
    return {"memory_id": fields.pop("memory_id"), **content, **fields}
