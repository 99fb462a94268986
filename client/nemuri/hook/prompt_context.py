"""With every prompt: what comes to mind for it, as a block of text."""

import json
from typing import TYPE_CHECKING, Any

from nemuri_contracts.wire_constants import LABEL_LIMIT, TURN_LIMIT, query
from nemuri_domain.affective.sanitize import is_conversation, storable
from nemuri_domain.language.secret_redaction import redacted
from nemuri_infra.bus.plain_socket import PlainError, connect

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import Whereabouts


def block(said: dict[str, Any], where: "Whereabouts") -> str:
    """What the assistant is given with the prompt that it was `said`; "" for nothing.

    Raises `Elsewhere`, `PlainError`, `OSError`.
    """
    prompt = said.get("prompt")
    if not isinstance(prompt, str) or not is_conversation(prompt):
        return ""
    asked = {
        "agent_id": where.agent,
        "prompt": storable(redacted(prompt), TURN_LIMIT),
        "session": label(said.get("session_id")),
        "within": where.patience,
    }
    connection = connect(where, where.patience)
    try:
        answer = connection.request(query(where.namespace, "affect-recall"), json.dumps(asked).encode())
    finally:
        connection.close()
    found = answered(answer).get("block")
    return found if isinstance(found, str) and found.strip() else ""


def answered(answer: bytes) -> dict[str, Any]:
    """What was answered. Raises `PlainError` for a refusal."""
    told = json.loads(answer)
    if not isinstance(told, dict):
        raise PlainError("the answer is none")
    if "refused" in told:
        raise PlainError(f"refused: {told['refused']}")
    return told


def label(name: object) -> str | None:
    """A session's name as it travels; None for none."""
    return storable(name.strip(), LABEL_LIMIT).strip() or None if isinstance(name, str) else None
