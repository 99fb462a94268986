"""The hook for each prompt: it returns the matching memories as a text block."""

import json
from typing import TYPE_CHECKING, Any

from nemuri_contracts.wire_constants import LABEL_LIMIT, TURN_LIMIT, query
from nemuri_domain.affective.sanitize import is_conversation, storable
from nemuri_domain.language.secret_redaction import redact
from nemuri_infra.bus.plain_socket import PlainError, connect

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings


def context_block(said: dict[str, Any], where: "HookSettings") -> str:
    """Return the text block with the memories that match a prompt; "" if none matches.

    `said` is the hook's input. Secrets in the prompt are redacted before it is sent. Raises `PlatformNotFound`,
    `PlainError` and `OSError`.
    """
    prompt = said.get("prompt")
    if not isinstance(prompt, str) or not is_conversation(prompt):
        return ""
    asked = {
        "agent_id": where.agent,
        "prompt": storable(redact(prompt), TURN_LIMIT),
        "session": valid_label(said.get("session_id")),
        "within": where.patience,
    }
    connection = connect(where, where.patience)
    try:
        answer = connection.request(query(where.namespace, "affect-recall"), json.dumps(asked).encode())
    finally:
        connection.close()
    found = decode_answer(answer).get("block")
    return found if isinstance(found, str) and found.strip() else ""


def decode_answer(answer: bytes) -> dict[str, Any]:
    """Return the decoded answer. Raises `PlainError` for a refusal."""
    told = json.loads(answer)
    if not isinstance(told, dict):
        raise PlainError("the answer is not a JSON object")
    if "refused" in told:
        raise PlainError(f"refused: {told['refused']}")
    return told


def valid_label(name: object) -> str | None:
    """Return a session's name, shortened to a valid label; None if there is no name."""
    return storable(name.strip(), LABEL_LIMIT).strip() or None if isinstance(name, str) else None
