"""Entry point of the hooks. It starts fast, because it imports neither the command line framework nor the drivers.

Any error is written to the journal, and the exit code is always 0, because another code would disturb the assistant.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nemuri.hook.journal import write_entry
from nemuri_infra.process.hook_settings import SWITCH, HookSettings, PlatformNotFound, data_directory

HOOKS = ("session-start", "prompt", "stop", "turn", "pre-compact", "session-end")
CLAUDE = "claude"
"""The default assistant, for which the descriptions of the others are not imported."""
MAX_INPUT_BYTES = 16 * 1024 * 1024
"""Maximum number of bytes that are read from standard input."""
READ_BYTES = 65_536
NO_AGENT = "refused: there is no agent"
"""Beginning of the platform's refusal of an unknown agent."""
_FLAGS = ("--json", "--verbose")
_OPTIONS = ("--data", "--agent", "--assistant")
_HELP = "--help"


class NoHook(Exception):  # noqa: N818 - the name states a fact
    """A hook was called with invalid arguments or invalid input. The message is one line."""


def is_hook(arguments: Sequence[str]) -> bool:
    """Return true if the arguments call a hook and do not ask for help."""
    words = [argument for argument in _named(arguments)[0] if argument not in _FLAGS]
    return words[:1] == ["hook"] and words[1:2] != [] and words[1] in HOOKS and _HELP not in arguments


def run(arguments: Sequence[str]) -> int:
    """Run the hook that the arguments name, and return 0."""
    words, options = _named(arguments)
    data = data_directory(options.get("--data"))
    if os.environ.get(SWITCH) == "off":
        return 0
    try:
        _check(words, options)
        assistant = options.get("--assistant") or CLAUDE
        where = HookSettings(options.get("--data"), options.get("--agent"))
        _run(next(word for word in words if word in HOOKS), where, assistant)
    except Exception as error:  # noqa: BLE001 - the outermost place: whatever it is, the assistant goes on
        write_entry(data, f"{' '.join(words[:2])}: {str(error) or type(error).__name__}")
    return 0


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """Run `work` in a thread of its own, and return its result.

    Raises the errors of `work`, and `TimeoutError` after `seconds`; the thread is abandoned then. A thread is needed
    because waiting for a name server, or for a caller that does not close standard input, cannot be limited in another
    way.
    """
    from threading import Thread

    became: list[tuple[bool, Any]] = []

    def done() -> None:
        try:
            became.append((True, work()))
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            became.append((False, error))

    thread = Thread(target=done, daemon=True)
    thread.start()
    thread.join(seconds)
    if not became:
        raise TimeoutError(f"it took longer than {seconds:g} s")
    well, result = became[0]
    if well:
        return result
    raise result


def _run(hook: str, where: HookSettings, assistant: str) -> None:
    """Run a hook. If no platform runs, or it does not know the agent, that is mended in the background."""
    work = {"session-start": _context, "prompt": _context, "session-end": _session_end}.get(hook, _turns)
    if hook == "session-start":
        from nemuri.hook.background import is_due, start

        if is_due(where):
            start(where)
    try:
        work(hook, where, assistant)
    except Exception as error:
        if not (isinstance(error, PlatformNotFound) or NO_AGENT in str(error)):
            raise
        from nemuri.hook.background import start

        if not start(where):
            raise


def _context(hook: str, where: HookSettings, assistant: str) -> None:
    """Print the block of memories for a prompt, or for the start of a session."""
    from nemuri.hook.prompt_context import brief_block, context_block

    def block() -> str:
        said = _said(hook, assistant)
        if hook == "session-start":
            _begin(said, where, assistant)
        if not _is_listening(said, where, assistant):
            return ""
        if hook == "session-start":
            return brief_block(said, where)
        if assistant != CLAUDE:
            from nemuri.hook.assistants import ASSISTANTS
            from nemuri.hook.spoken_turns import keep_prompt

            keep_prompt(said, where)
            if ASSISTANTS[assistant].keeps == "never":
                return ""
        return context_block(said, where)

    _print(within(where.patience, block), hook, assistant)


def _begin(said: dict[str, Any], where: HookSettings, assistant: str) -> None:
    """Note a session that begins, unless a subagent begins it. In a pause only its context is noted."""
    if "agent_id" in said:
        return
    from nemuri.hook.session_context import begin

    begin(said, where)
    if assistant == CLAUDE and _is_listening(said, where, assistant):
        from nemuri.hook.session_turns import note_session

        note_session(said, where)


def _session_end(hook: str, where: HookSettings, assistant: str) -> None:
    from nemuri.hook.session_turns import spool_session

    said = within(where.patience, lambda: _said(hook, assistant))
    _hand_on(hook, where, assistant, said, lambda: spool_session(said, where))


def _turns(hook: str, where: HookSettings, assistant: str) -> None:
    """Hand on the turns of a session that goes on. Before a compaction its context begins anew, also in a pause."""
    said, compacted = within(where.patience, lambda: _said(hook, assistant)), hook == "pre-compact"
    try:
        _hand_on(hook, where, assistant, said, lambda: _spooled_turns(said, where, assistant, finished=not compacted))
    finally:
        if compacted and "agent_id" not in said:
            from nemuri.hook.session_context import begin_anew
            from nemuri_domain.affective.sanitize import valid_label

            begin_anew(where.data, where.agent, valid_label(said.get("session_id")))


def _spooled_turns(said: dict[str, Any], where: HookSettings, assistant: str, *, finished: bool) -> Any:
    if assistant == CLAUDE:
        from nemuri.hook.session_turns import spool_turns

        return spool_turns(said, where, finished=finished)
    from nemuri.hook.spoken_turns import spool_spoken

    return spool_spoken(said, where) if "turn" in said else None


def _hand_on(hook: str, where: HookSettings, assistant: str, said: dict[str, Any], spooled: Callable[[], Any]) -> None:
    from nemuri.hook.session_upload import flush

    if not _is_listening(said, where, assistant):
        return
    path = spooled()
    for trouble in within(where.patience, lambda: flush(where, where.patience, [path] if path else ())).troubles:
        write_entry(where.data, f"hook {hook}: {trouble}")


def _said(hook: str, assistant: str) -> dict[str, Any]:
    """Return the input of a hook in the form that Claude Code gives it."""
    said = _object(_input())
    if assistant == CLAUDE:
        return said
    from nemuri.hook.other_assistants import translated

    return translated(said, hook, assistant)


def _is_listening(said: dict[str, Any], where: HookSettings, assistant: str) -> bool:
    """Return False for a call by a subagent, for Cursor in the place of Claude Code, and in a pause."""
    if "agent_id" in said or (assistant == CLAUDE and "CURSOR_VERSION" in os.environ):
        return False
    if not os.path.exists(os.path.join(where.data, "hooks", "pauses.json")):  # noqa: PTH110, PTH118
        return True
    from nemuri.hook.pause import is_paused

    return not is_paused(where.data)


def _print(block: str, hook: str, assistant: str) -> None:
    """Print a block in the form in which the assistant takes it."""
    if assistant != CLAUDE:
        from nemuri.hook.other_assistants import output

        block = output(block, hook, assistant)
    if block:
        os.write(1, block.encode() + b"\n")


def _named(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the words of the arguments without the options, and the values of these options by name."""
    words, options, rest = list[str](), dict[str, str](), list(arguments)
    while rest:
        name, given, value = rest.pop(0).partition("=")
        if name in _OPTIONS:
            options[name] = value if given or not rest else rest.pop(0)
        else:
            words.append(name + given + value)
    return words, options


def _check(words: Sequence[str], options: Mapping[str, str]) -> None:
    if (assistant := options.get("--assistant") or CLAUDE) != CLAUDE:
        from nemuri.hook.assistants import ASSISTANTS

        if assistant not in ASSISTANTS:
            raise NoHook(f"the hook does not know the assistant {assistant}")
    if unknown := [word for word in words if word not in ("hook", *HOOKS, *_FLAGS)]:
        raise NoHook(f"the hook does not accept the argument {unknown[0]}")


def _input() -> bytes:
    """Return all of standard input, at most `MAX_INPUT_BYTES` bytes.

    It does not use `sys.stdin`, which an abandoned thread would keep locked.
    """
    parts, left = list[bytes](), MAX_INPUT_BYTES
    while left > 0 and (part := os.read(0, min(left, READ_BYTES))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _object(data: bytes) -> dict[str, Any]:
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise NoHook("standard input is not a JSON object")
    return said
