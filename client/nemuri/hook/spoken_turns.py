"""Turns of assistants without a transcript: the prompt is kept until the hook after the turn has the reply."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid3

from nemuri.hook import session_context, spool
from nemuri.hook.journal import folder
from nemuri.hook.other_assistants import TURN
from nemuri.hook.project import project_of
from nemuri.hook.session_upload import session_of
from nemuri.hook.state_files import write_state
from nemuri_contracts.wire_constants import TURN_LIMIT
from nemuri_domain.affective.private_parts import PrivateParts
from nemuri_domain.affective.sanitize import is_conversation, storable, valid_label, without_private
from nemuri_domain.affective.transcripts import TURN_NAMESPACE, Transcript, TranscriptTurn
from nemuri_domain.language.secret_redaction import Redactor

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings


def keep_prompt(said: dict[str, Any], where: "HookSettings") -> None:
    """Keep the prompt of a session until its reply comes. Secrets and private parts are replaced first.

    That it had private parts is kept, because the reply may repeat them. Raises `OSError`.
    """
    prompt, path = _cleaned(said.get("prompt"), Redactor()), _path(said, where)
    if not is_conversation(prompt):
        path.unlink(missing_ok=True)
        return
    private = "yes" if _private_parts(said.get("prompt")) else ""
    kept = {"prompt": prompt, "said_at": datetime.now(UTC).isoformat(), "private": private}
    write_state(path, json.dumps(kept))


def spool_spoken(said: dict[str, Any], where: "HookSettings") -> Path | None:
    """Store a whole turn in the spool, and return the file; None if the user said nothing. Raises `OSError`."""
    turn, now = said[TURN], datetime.now(UTC)
    kept = _kept(_path(said, where))
    redactor, parts = Redactor(), _private_parts(turn["prompt"])
    prompt = _cleaned(turn["prompt"], redactor) or kept.get("prompt", "")
    if not is_conversation(prompt):
        return None
    reply = _replied(turn["reply"], PrivateParts(parts), prompt, redactor)
    prompt = redactor.without_known(prompt)
    if kept.get("private") and not parts:
        reply = ""  # it may repeat private parts, which are known no more
    name = valid_label(said.get("session_id")) or "session"
    identity = f"{said['assistant']}/{name}/{turn['number'] or f'{prompt}/{reply}'}"
    said_at = datetime.fromisoformat(kept["said_at"]) if "said_at" in kept else now
    transcript = Transcript((TranscriptTurn(prompt, reply, said_at, identity),), {}, name, now)
    told = session_of(where.agent, name, transcript, now, project_of(said.get("cwd")))
    path = spool.put(where.data, told)
    session_context.add(where.data, where.agent, name, (spoken["id"] for spoken in told["turns"]))
    _path(said, where).unlink(missing_ok=True)
    return path


def _private_parts(prompt: object) -> list[str]:
    return without_private(prompt)[1] if isinstance(prompt, str) else []


def _cleaned(prompt: object, redactor: Redactor) -> str:
    """Return a prompt as it may be stored: without secrets and private parts. The redactor then knows the secrets."""
    return storable(without_private(redactor.redact(prompt))[0], TURN_LIMIT) if isinstance(prompt, str) else ""


def _replied(reply: str | None, private: PrivateParts, prompt: str, redactor: Redactor) -> str:
    """Return a reply as it may be stored. `prompt` is what the user said beside the private parts."""
    if not reply:
        return ""
    return storable(redactor.redact(private.without_repeated(without_private(reply)[0], prompt)), TURN_LIMIT)


def _kept(path: Path) -> dict[str, str]:
    try:
        told = json.loads(path.read_bytes())
        datetime.fromisoformat(told["said_at"])
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    return {name: str(told.get(name, "")) for name in ("prompt", "said_at", "private")}


def _path(said: dict[str, Any], where: "HookSettings") -> Path:
    directory = Path(folder(where.data), "prompts")
    directory.mkdir(mode=0o700, exist_ok=True)
    name = uuid3(TURN_NAMESPACE, f"{where.agent}/{said.get('session_id')}")
    return directory / f"{name}.json"
