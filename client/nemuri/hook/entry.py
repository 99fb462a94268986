"""The way of a hook that an assistant waits for: no command line, no driver, no failure.

Whatever goes wrong becomes a line of the journal; the exit code is 0, for any other is in the assistant's way.
"""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from nemuri.hook.journal import note
from nemuri_infra.process.hook_settings import Whereabouts, directory

HOOKS = ("prompt", "session-end")
LONGEST = 16 * 1024 * 1024
"""Bytes of standard input that are read."""
AT_ONCE = 65_536
_FLAGS = ("--json", "--verbose")
_HELP = "--help"


class NoHook(Exception):  # noqa: N818 - said as the fact that it is
    """The hook was not called as it has to be; the message is one line."""


def is_hook(arguments: Sequence[str]) -> bool:
    """Whether the command line calls a hook and does not ask how to."""
    words = [each for each in _named(arguments)[0] if each not in _FLAGS]
    return words[:1] == ["hook"] and words[1:2] in ([HOOKS[0]], [HOOKS[1]]) and _HELP not in arguments


def run(arguments: Sequence[str]) -> int:
    """Do what the hook is for; always 0."""
    words, options = _named(arguments)
    data = directory(options.get("--data"))
    try:
        _check(words)
        where = Whereabouts(options.get("--data"), options.get("--agent"))
        (_prompt if HOOKS[0] in words else _session_end)(where)
    except Exception as error:  # noqa: BLE001 - the outermost place: whatever it is, the assistant goes on
        note(data, f"{' '.join(words[:2])}: {str(error) or type(error).__name__}")
    return 0


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """What the work comes to. Raises what it raises, and `TimeoutError` when it takes longer, and is left behind.

    A name server, or whoever does not close our standard input, keeps to no limit of ours.
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


def _prompt(where: Whereabouts) -> None:
    from nemuri.hook.prompt_context import block

    if found := within(where.patience, lambda: block(_object(_input()), where)):
        os.write(1, found.encode() + b"\n")


def _session_end(where: Whereabouts) -> None:
    from nemuri.hook.session_end import kept
    from nemuri.hook.session_upload import flush

    path = kept(_object(within(where.patience, _input)), where)
    for trouble in within(where.patience, lambda: flush(where, where.patience, [path] if path else ())).troubles:
        note(where.data, f"hook session-end: {trouble}")


def _named(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Words, and options that have a value."""
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
        raise NoHook(f"a hook takes no {unknown[0]}")


def _input() -> bytes:
    """Standard input to its end; not by way of `sys.stdin`, which a thread that is left behind would keep locked."""
    parts, left = list[bytes](), LONGEST
    while left > 0 and (part := os.read(0, min(left, AT_ONCE))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _object(data: bytes) -> dict[str, Any]:
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise NoHook("standard input is no JSON object")
    return said
