"""The text blocks with memories: those that match a prompt, and the most important ones of a project."""

import json
from typing import TYPE_CHECKING, Any

from nemuri.hook import session_context
from nemuri_contracts.wire_constants import TURN_LIMIT, query
from nemuri_domain.affective.sanitize import is_conversation, storable, valid_label, without_private
from nemuri_domain.language.secret_redaction import redact
from nemuri_infra.bus.plain_socket import PlainError, connect

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings


MACHINES = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")
"""Sources of prompts that no person wrote, as the assistant names them."""
NO_PROJECT = "/"
"""Project of a session that takes place in none, such as one in a home directory. It has no memories of its own, so
only those about the user and those outside of every project are given.
"""
RESUMED = "resume"
"""Source of the start of a session that has the context of an earlier one."""
REWIND_BYTES = 4_096
"""Number of bytes at the end of a transcript in which the mark of a rewind is looked for."""


def context_block(said: dict[str, Any], where: "HookSettings") -> str:
    """Return the text block with the memories that match a prompt; "" if none matches.

    `said` is the hook's input. Secrets and private parts of the prompt are replaced before it is sent. Memories that
    the assistant has in its context already are left out. Raises `PlatformNotFound`, `PlainError` and `OSError`.
    """
    prompt = said.get("prompt")
    if not isinstance(prompt, str) or said.get("source") in MACHINES:
        return ""
    prompt = without_private(prompt)[0]
    if not is_conversation(prompt):
        return ""
    session = valid_label(said.get("session_id"))
    if is_rewound(said.get("transcript_path")):
        session_context.begin_anew(where.data, where.agent, session)
    asked: dict[str, Any] = {"prompt": storable(redact(prompt), TURN_LIMIT)}
    if session:
        asked["context"] = session_context.known(where.data, where.agent, session)
    answer = ask("affect-recall", asked, said, where)
    if said.get("assistant") not in session_context.NOT_KEPT:
        shown = [each["memory"]["memory_id"] for each in answer.get("recalled", ())]
        session_context.add(where.data, where.agent, session, shown)
    return _block(answer)


def brief_block(said: dict[str, Any], where: "HookSettings") -> str:
    """Return the text block with the most important memories of a session's project; "" if there is none.

    Raises the errors of `context_block`.
    """
    return _block(ask("affect-brief", {}, said, where))


def begin_session(said: dict[str, Any], where: "HookSettings") -> None:
    """Let the context of a session begin anew, or go on if the session is resumed. Raises `OSError`."""
    session = valid_label(said.get("session_id"))
    if said.get("source") == RESUMED:
        session_context.resume(where.data, where.agent, session)
    else:
        session_context.begin_anew(where.data, where.agent, session)
    session_context.remove_old(where.data)


def is_rewound(transcript: object) -> bool:
    """Return True if the last entry of a transcript says that the user has just gone back to an earlier prompt."""
    if not isinstance(transcript, str):
        return False
    try:
        with open(transcript, "rb") as file:  # noqa: PTH123 - pathlib takes longer
            file.seek(max(0, file.seek(0, 2) - REWIND_BYTES))
            last = json.loads(file.read().rstrip().rpartition(b"\n")[2])
    except (OSError, ValueError):
        return False
    return isinstance(last, dict) and last.get("type") == "last-prompt" and bool(last.get("explicit"))


def ask(topic: str, asked: dict[str, Any], said: dict[str, Any], where: "HookSettings") -> dict[str, Any]:
    """Ask the platform about the agent, the session and the project of a hook's input, and return its answer."""
    from nemuri.hook.project import project_of

    about = {"agent_id": where.agent, "session": valid_label(said.get("session_id")), "within": where.patience}
    about["project"] = project_of(said.get("cwd")) or NO_PROJECT
    connection = connect(where, where.patience)
    try:
        answer = connection.request(query(where.namespace, topic), json.dumps(about | asked).encode())
    finally:
        connection.close()
    return decode_answer(answer)


def _block(answer: dict[str, Any]) -> str:
    found = answer.get("block")
    return found if isinstance(found, str) and found.strip() else ""


def decode_answer(answer: bytes) -> dict[str, Any]:
    """Return the decoded answer. Raises `PlainError` for a refusal."""
    told = json.loads(answer)
    if not isinstance(told, dict):
        raise PlainError("the answer is not a JSON object")
    if "refused" in told:
        raise PlainError(f"refused: {told['refused']}")
    return told
