"""Upload of sessions to the log, turn by turn. Each turn has a derived id, so a repeated upload changes nothing."""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid3

from nemuri.hook import spool
from nemuri.hook.journal import write_entry
from nemuri.hook.prompt_context import decode_answer
from nemuri_contracts.wire_constants import OPERATOR, of_client, query
from nemuri_domain.affective.transcripts import TURN_NAMESPACE, Transcript, turn_id
from nemuri_infra.bus.plain_socket import MessageTooLargeError, PlainConnection, PlainError, connect
from nemuri_infra.process.hook_settings import HookSettings, PlatformNotFound

STARTING_SECONDS = 30.0
"""Seconds for which a platform that has just started may refuse what waits in the spool."""
KIND = "turn_offered"
TAKEN_BACK = "turn_taken_back"


@dataclass(slots=True)
class UploadResult:
    """The result of an upload."""

    sessions: int = 0
    turns: int = 0
    too_large: int = 0
    """Number of turns that are too large for one message."""
    troubles: list[str] = field(default_factory=list)
    """Reasons why sessions stay in the spool, one line each."""


def session_of(
    agent: str,
    name: str,
    transcript: Transcript,
    ended_at: datetime,
    project: str | None,
    workdays: int | None = None,
) -> dict[str, Any]:
    """Return a session as JSON values, as it is stored in the spool and uploaded.

    Turns without a time get `ended_at`, no turn is later, and no session ends in the future. `workdays` is the number
    of later days with turns, for an old session.
    """
    ended_at = min(ended_at, datetime.now(UTC))
    turns = [
        {
            "id": str(turn_id(agent, turn.identity)),
            "prompt": turn.prompt,
            "reply": turn.reply,
            "said_at": min(turn.said_at or ended_at, ended_at).isoformat(),
            "matters": turn.matters._asdict(),
        }
        for turn in transcript.turns
    ]
    told = {"agent": agent, "session": name, "project": project, "ended_at": ended_at.isoformat(), "turns": turns}
    return told if workdays is None else told | {"workdays": workdays}


class SessionUploader:
    """A connection that uploads sessions as the configured client, or as the operator if no client is configured."""

    def __init__(self, where: HookSettings, limit: float | None = None) -> None:
        """Connect to the platform. Raises `PlatformNotFound`, `PlainError` and `OSError`."""
        self.became = UploadResult()
        self._bus: PlainConnection = connect(where, limit)
        self._namespace, self._client = where.namespace, where.client or OPERATOR
        self._known: dict[str, PlainError | None] = {}

    def close(self) -> None:
        """Close the connection."""
        self._bus.close()

    def check(self, agent: str) -> None:
        """Raise `PlainError` unless the agent exists and has affective memory. The platform is asked once for each
        agent.
        """
        if agent not in self._known:
            self._known[agent] = self._why_not(agent)
        if (trouble := self._known[agent]) is not None:
            raise trouble

    def offer(self, session: dict[str, Any]) -> None:
        """Append the turns of a session, and return when the log has stored them.

        A turn that is too large for one message is left out and counted. Raises `PlainError` and `OSError`.
        """
        self.check(session["agent"])
        subject = of_client(self._namespace, self._client, KIND)
        shared = {"kind": KIND, "agent_id": session["agent"], "session": session["session"]}
        shared |= {name: session[name] for name in ("project", "workdays") if name in session}
        for turn in session["turns"]:
            said = {name: turn[name] for name in ("prompt", "reply", "said_at", "matters") if name in turn}
            event = {"event_id": turn["id"], **shared, **said, "ended_at": session["ended_at"]}
            try:
                self._bus.append(subject, json.dumps(event, ensure_ascii=False).encode(), turn["id"])
            except MessageTooLargeError:
                self.became.too_large += 1
            else:
                self.became.turns += 1
        self._take_back(session)
        self.became.sessions += 1

    def _take_back(self, session: dict[str, Any]) -> None:
        """Append that the user gave up turns that were uploaded earlier."""
        subject = of_client(self._namespace, self._client, TAKEN_BACK)
        for turn in session.get("taken_back", ()):
            event_id = str(uuid3(TURN_NAMESPACE, f"taken back/{turn}"))
            event = {"event_id": event_id, "kind": TAKEN_BACK, "agent_id": session["agent"], "turn_id": turn}
            self._bus.append(subject, json.dumps(event).encode(), event_id)

    def _why_not(self, agent: str) -> PlainError | None:
        asked = json.dumps({"agent_id": agent}).encode()
        try:
            [found] = decode_answer(self._bus.request(query(self._namespace, "agents"), asked))["agents"]
        except PlainError as error:
            return error
        if found["definition"].get("memory") != "affective":
            return PlainError(f"the agent {agent} has no affective memory; its definition says `memory: affective`")
        return None


def flush(where: HookSettings, limit: float | None = None, first: Iterable[Path] = ()) -> UploadResult:
    """Upload the sessions of the spool, `first` before the others. Remove each from the spool when the log has stored
    it.

    A session that cannot be uploaded stays, and its reason is among the `troubles` of the result. Raises
    `PlatformNotFound`, `PlainError` and `OSError` if the platform cannot be reached; all remaining sessions stay then.
    """
    paths = list(dict.fromkeys([*first, *spool.waiting(where.data)]))
    if not paths:
        return UploadResult()
    offering = SessionUploader(where, limit)
    troubles: dict[str, None] = {}
    try:
        for path in paths:
            try:
                if (session := spool.get(path)) is not None:
                    offering.offer(session)
                    path.unlink(missing_ok=True)
            except (PlainError, spool.DamagedSessionError) as error:
                troubles[str(error)] = None
    finally:
        offering.close()
    offering.became.troubles = [*troubles]
    return offering.became


def catch_up(data: str) -> None:
    """Upload the sessions in the spool to the platform that has just started in the data directory.

    What fails is tried again for `STARTING_SECONDS`, because the services of a platform start after its servers, and a
    hook may be about to define the agent. Errors that remain go to the journal.
    """
    end = time.monotonic() + STARTING_SECONDS
    while troubles := _troubles(data):
        if time.monotonic() > end:
            break
        time.sleep(1.0)  # nothing tells when a service answers for the first time
    for trouble in troubles:
        write_entry(data, f"up: {trouble}")


def _troubles(data: str) -> list[str]:
    try:
        return flush(HookSettings(data)).troubles
    except (PlatformNotFound, PlainError, OSError) as error:
        return [str(error)]
