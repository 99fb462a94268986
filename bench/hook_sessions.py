"""Sessions of a coding assistant that call the hooks for the start of a session, a reply, a compaction and the end."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from bench.texts import memories
from nemuri.hook import open_sessions
from nemuri.hook.open_sessions import OpenSession
from nemuri.hook.session_turns import transcript_at
from nemuri_domain.affective.transcripts import turn_id

EARLIER: Final = 50
"""Number of turns of each session that were handed on before."""
TURNS: Final = 2
"""Number of replies of each session."""

Called = Callable[[str, dict[str, Any]], str]
"""Calls a hook by its name with an input, and returns what it printed."""


class AssistantSession:
    """A session that is resumed after `EARLIER` turns, with its transcript in a folder."""

    def __init__(self, name: str, folder: Path, texts: Iterator[str]) -> None:
        self._name, self._texts = name, texts
        self._transcript, self._folder = folder / f"{name}.jsonl", folder
        self._number = 0

    def resume(self, data: Path, agent: str) -> None:
        """Write the earlier turns, and note that they were handed on."""
        for _ in range(EARLIER):
            self._say()
        known, _ = transcript_at(self._transcript, self._name)
        handed = frozenset(str(turn_id(agent, turn.identity)) for turn in known.turns)
        open_sessions.save(str(data), OpenSession(agent, self._name, str(self._transcript), handed))

    def run(self, called: Called) -> str:
        """Call the hooks of a session that is compacted once and ends in the middle of a turn. Return what the hook for
        its start printed.
        """
        printed = called("session-start", self._input("SessionStart", source="resume"))
        for _ in range(TURNS):
            reply = self._say()
            called("stop", self._input("Stop", last_assistant_message=reply))
        self._say()
        self._say()
        called("pre-compact", self._input("PreCompact", trigger="auto"))
        called("session-end", self._input("SessionEnd", reason="other"))
        return printed

    def _say(self) -> str:
        """Append a turn to the transcript, and return its reply."""
        prompt, _, reply = next(self._texts).partition(". ")
        at = (datetime.now(UTC) + timedelta(seconds=self._number)).isoformat()
        with self._transcript.open("a", encoding="utf-8") as file:
            for kind, words in (("user", f"{prompt}, why?"), ("assistant", reply)):
                self._number += 1
                entry = {"type": kind, "uuid": f"{self._name}-{self._number}", "timestamp": at, "sessionId": self._name}
                file.write(json.dumps(entry | {"message": {"role": kind, "content": words}}) + "\n")
        return reply

    def _input(self, event: str, **more: str) -> dict[str, Any]:
        named = {"session_id": self._name, "transcript_path": str(self._transcript), "cwd": str(self._folder)}
        return {**named, "hook_event_name": event, **more}


def sessions(number: int, folder: Path, beginning: int) -> Iterator[AssistantSession]:
    """Yield sessions about texts that come after the first `beginning` texts of the generator."""
    texts = memories(beginning + number * (EARLIER + TURNS + 2))
    for _ in range(beginning):
        next(texts)
    for place in range(number):
        yield AssistantSession(f"resumed-{place}", folder, texts)
