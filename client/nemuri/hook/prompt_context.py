"""The text blocks with memories: those that match a prompt, and the most important ones of a project."""

import json
import os
from typing import TYPE_CHECKING, Any

from nemuri.hook import session_context
from nemuri_contracts.wire_constants import NO_PROJECT, TURN_LIMIT, query
from nemuri_domain.affective.sanitize import is_conversation, storable, valid_label, without_private
from nemuri_domain.language.secret_redaction import redact
from nemuri_infra.bus.plain_socket import PlainError, request_once

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings


PROGRAM = "nemuri"
"""Command that the platform assumes. A platform of an older version knows no other."""
TOOL = "NEMURI_HOOK_TOOL"
"""Environment variable with the name of the tool by which the assistant reads memories. The plugin sets it."""
MACHINES = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")
"""Sources of prompts that no person wrote, as the assistant names them."""


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
    if session_context.is_rewound(said.get("transcript_path")):
        session_context.begin_anew(where.data, where.agent, session)
    asked: dict[str, Any] = {"prompt": storable(redact(prompt), TURN_LIMIT)}
    if session:
        asked["context"] = session_context.known(where.data, where.agent, session)
    answer = ask("show-memories", asked, said, where)
    if _is_kept(said.get("assistant")):
        shown = [memory["memory"]["memory_id"] for memory in answer.get("recalled", ())]
        session_context.add(where.data, where.agent, session, shown)
    return _block(answer)


def brief_block(said: dict[str, Any], where: "HookSettings") -> str:
    """Return the text block with the most important memories of a session's project; "" if there is none.

    Raises the errors of `context_block`.
    """
    return _block(ask("show-brief", {}, said, where))


def ask(topic: str, asked: dict[str, Any], said: dict[str, Any], where: "HookSettings") -> dict[str, Any]:
    """Ask the platform about the agent, the session and the project of a hook's input, and return its answer."""
    from nemuri.hook.project import project_of
    from nemuri.platform.program_path import program_command

    about = {"agent_id": where.agent, "session": valid_label(said.get("session_id")), "within": where.patience}
    about["request"] = os.urandom(16).hex()  # an id of 128 random bits, without the import of uuid
    about["project"] = project_of(said.get("cwd")) or NO_PROJECT
    about |= {"program": program} if (program := program_command() + where.option) != PROGRAM else {}
    about |= {"tool": tool} if (tool := os.environ.get(TOOL)) else {}
    return decode_answer(request_once(where, query(where.namespace, topic), about | asked))


def _is_kept(assistant: str | None) -> bool:
    """Return True if an assistant keeps a block in its context; None for Claude Code."""
    if assistant is None:
        return True
    from nemuri.hook.assistants import ASSISTANTS

    return ASSISTANTS[assistant].keeps == "always"


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
