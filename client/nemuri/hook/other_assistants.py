"""Hooks of other assistants than Claude Code: their input is brought into its form, and the output into theirs.

They give no transcript that we read. So the prompt of a turn is kept until the hook after the turn has the reply.
"""

import json
from typing import Any

from nemuri_domain.affective.inserted_text import without_inserted

TURN = "turn"
"""Field of a hook's input, in our form, with a whole turn: its prompt, its reply and its id."""
_SESSIONS = ("session_id", "conversation_id")
_PROMPTED = {"gemini": "BeforeAgent", "codex": "UserPromptSubmit"}


def translated(said: dict[str, Any], hook: str, assistant: str) -> dict[str, Any]:
    """Return the input of a hook in the form of Claude Code's. A reply comes as a whole turn."""
    session = next((said[name] for name in _SESSIONS if isinstance(said.get(name), str)), None)
    roots = said.get("workspace_roots")
    directory = said.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)
    prompt = said.get("prompt")
    # Gemini CLI puts what earlier hooks gave it before the prompt.
    prompt = without_inserted(prompt) if isinstance(prompt, str) else None
    common = {"session_id": session, "cwd": directory, "prompt": prompt, "source": said.get("source")}
    if "agent_id" in said:
        common["agent_id"] = said["agent_id"]
    reply = next(
        (said[name] for name in ("prompt_response", "last_assistant_message", "text", "reply") if said.get(name)), None
    )
    if hook in ("stop", TURN):
        number = said.get("turn_id") or said.get("generation_id") or said.get("timestamp")
        common[TURN] = {"prompt": prompt, "reply": reply, "number": number}
    return common | {"assistant": assistant}


def output(block: str, hook: str, assistant: str) -> str:
    """Return what a hook prints for a block: in most cases JSON, and nothing without a block where that is allowed."""
    if assistant == "cursor":
        if hook == "prompt":
            return json.dumps({"continue": True})
        return json.dumps({"additional_context": block} if block else {})
    if not block:
        return ""
    event = "SessionStart" if hook == "session-start" else _PROMPTED.get(assistant, "UserPromptSubmit")
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}, ensure_ascii=False)
