"""Entry point of the hooks. It starts fast, because it imports neither the command line framework nor the drivers.

Any error is written to the journal, and the exit code is always 0, because another code would disturb the assistant.
"""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from nemuri.hook.journal import write_entry
from nemuri_infra.process.hook_settings import HookSettings, data_directory

HOOKS = ("prompt", "session-end")
MAX_INPUT_BYTES = 16 * 1024 * 1024
"""Maximum number of bytes that are read from standard input."""
READ_BYTES = 65_536
_FLAGS = ("--json", "--verbose")
_HELP = "--help"


class NoHook(Exception):  # noqa: N818 - the name states a fact
    """A hook was called with invalid arguments or invalid input. The message is one line."""


def is_hook(arguments: Sequence[str]) -> bool:
    """Return true if the arguments call a hook and do not ask for help."""
    words = [each for each in _named(arguments)[0] if each not in _FLAGS]
    return words[:1] == ["hook"] and words[1:2] in ([HOOKS[0]], [HOOKS[1]]) and _HELP not in arguments


def run(arguments: Sequence[str]) -> int:
    """Run the hook that the arguments name, and return 0."""
    words, options = _named(arguments)
    data = data_directory(options.get("--data"))
    try:
        _check(words)
        where = HookSettings(options.get("--data"), options.get("--agent"))
        (_prompt if HOOKS[0] in words else _session_end)(where)
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


def _prompt(where: HookSettings) -> None:
    from nemuri.hook.prompt_context import context_block

    if found := within(where.patience, lambda: context_block(_object(_input()), where)):
        os.write(1, found.encode() + b"\n")


def _session_end(where: HookSettings) -> None:
    from nemuri.hook.session_end import spool_session
    from nemuri.hook.session_upload import flush

    path = spool_session(_object(within(where.patience, _input)), where)
    for trouble in within(where.patience, lambda: flush(where, where.patience, [path] if path else ())).troubles:
        write_entry(where.data, f"hook session-end: {trouble}")


def _named(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the words of the arguments without `--data` and `--agent`, and the values of these options by name."""
    words, options, rest = list[str](), dict[str, str](), list(arguments)
    while rest:
        name, given, value = rest.pop(0).partition("=")
        if name in ("--data", "--agent"):
            options[name] = value if given or not rest else rest.pop(0)
        else:
            words.append(name + given + value)
    return words, options


def _check(words: Sequence[str]) -> None:
    if unknown := [each for each in words if each not in ("hook", *HOOKS, *_FLAGS)]:
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
