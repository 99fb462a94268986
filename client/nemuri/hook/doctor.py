"""Checks of a hook installation, each with what to do about a fault."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from nemuri.hook import spool
from nemuri.hook.assistants import Assistant
from nemuri.hook.enabled_plugin import EnabledPlugin, enabled_plugin
from nemuri.hook.journal import recent_entries
from nemuri.hook.pause import is_paused
from nemuri.hook.prompt_context import decode_answer
from nemuri.hook.session_upload import SessionUploader
from nemuri.hook.settings_file import SettingsBroken, missing_events
from nemuri_contracts.subjects import Subjects
from nemuri_contracts.wire_constants import query
from nemuri_domain.affective.text_compression import EXTRACTIVE
from nemuri_domain.affective.turn_reader import LEXICON_MODEL
from nemuri_domain.language.word_table import MODEL as BUILT_IN
from nemuri_infra.bus.access import api_prefix
from nemuri_infra.bus.plain_socket import PlainError, request_once
from nemuri_infra.process.hook_settings import HookSettings, PlatformNotFound

READER = "affective-memory"
"""Service that reads the turns."""


class Check(NamedTuple):
    """The result of one check."""

    name: str
    well: bool
    found: str
    """Finding, and advice about a fault."""


def check_installation(where: HookSettings, assistant: Assistant, settings: Path) -> list[Check]:
    """Return the checks of an assistant's settings, the platform, the agent, its readings, the spool and the errors."""
    paused = is_paused(where.data)
    return [
        _settings(assistant, settings),
        _platform(where),
        _tried("agent", lambda: _agent(where)),
        _tried("readings", lambda: _readings(where)),
        _tried("recall", lambda: _recall(where)),
        _tried("given up", lambda: _given_up(where)),
        _waiting(where),
        Check("pause", not paused, "`nemuri hook resume` ends it" if paused else "none"),
        _errors(where),
    ]


def _settings(assistant: Assistant, path: Path) -> Check:
    try:
        missing = missing_events(path, assistant)
    except (SettingsBroken, OSError) as error:
        return Check("settings", well=False, found=f"{path}: {error}")
    if (plugin := enabled_plugin(assistant, path, Path.cwd())) is not None:
        return _with_plugin(plugin, path, alone=len(missing) == len(assistant.events))
    if missing:
        advice = f"`nemuri hook install --assistant {assistant.name} --write` adds them"
        return Check("settings", well=False, found=f"{path} has no hook for {', '.join(missing)}; {advice}")
    program = shutil.which("nemuri") or "not on the PATH; the hooks name it by its path"
    return Check("settings", well=True, found=f"{path}; nemuri: {program}")


def _with_plugin(plugin: EnabledPlugin, path: Path, *, alone: bool) -> Check:
    if alone:
        return Check("settings", well=True, found=f"the plugin {plugin.name}, enabled in {plugin.path}")
    twice = f"{path} and the plugin {plugin.name} (enabled in {plugin.path}) handle each turn twice"
    return Check("settings", well=False, found=f"{twice}; `nemuri hook uninstall` leaves those of the plugin")


def _platform(where: HookSettings) -> Check:
    try:
        return Check("platform", well=True, found=where.nats_address.rpartition("@")[2])
    except PlatformNotFound as error:
        return Check("platform", well=False, found=f"{error}; the next session starts it, or `nemuri up`")


def _agent(where: HookSettings) -> Check:
    began = time.monotonic()
    uploading = SessionUploader(where, where.patience)
    try:
        uploading.check(where.agent)
    finally:
        uploading.close()
    return Check("agent", well=True, found=f"{where.agent} answers in {(time.monotonic() - began) * 1e3:.0f} ms")


def _readings(where: HookSettings) -> Check:
    """Return whether the model that is asked first read the newest turn."""
    view = decode_answer(request_once(where, query(where.namespace, "affect"), {"agent_id": where.agent}))
    names, reader = ", ".join(view["providers"]), view["read_by"]
    if not reader or not reader.endswith(LEXICON_MODEL) or view["providers"][0] == EXTRACTIVE:
        return Check("readings", well=True, found=f"the newest turn was read by {reader}" if reader else "no turn yet")
    log = os.path.join(where.data, "hooks", "wake.log")  # noqa: PTH118 - as the journal itself
    advice = f"the output of `nemuri up` says why ({log}, if a hook started it), or the budget of the day is spent"
    return Check("readings", well=False, found=f"the newest turn was read by the lexicon, not by {names}; {advice}")


def _recall(where: HookSettings) -> Check:
    """Return what recall hears in a prompt: the languages whose meaning it knows, and how it hears others."""
    view = decode_answer(request_once(where, query(where.namespace, "affect"), {"agent_id": where.agent}))
    if view["embedder"] == BUILT_IN:
        found = "meaning in English and Japanese, and between both; other languages by their words (`nemuri embedder`)"
    else:
        found = f"meaning by {view['embedder']}; in English and Japanese also by the built-in table of words"
    return Check("recall", well=True, found=found)


def _given_up(where: HookSettings) -> Check:
    """Return whether the platform has given up turns, which happens if no model can read them."""
    subjects = Subjects(where.namespace)
    wanted = {"subjects_filter": subjects.dead(READER)}
    told = json.loads(
        request_once(where, f"{api_prefix(where.nats_domain)}.STREAM.INFO.{subjects.dead_stream}", wanted)
    )
    number = len(told["state"].get("subjects") or ())
    advice = f"`nemuri dead list --service {READER}` says why, `nemuri dead retry` tries again"
    return Check("given up", well=not number, found=f"{number} events; {advice}" if number else "no turns")


def _waiting(where: HookSettings) -> Check:
    number = len(spool.waiting(where.data))
    return Check("spool", number == 0, f"{number} sessions wait; `nemuri hook flush` says why" if number else "empty")


def _errors(where: HookSettings) -> Check:
    entries = recent_entries(where.data)
    if not entries:
        return Check("journal", well=True, found="no errors in the last day")
    directory = os.path.join(where.data, "hooks", "journal")  # noqa: PTH118 - as the journal itself
    return Check(
        "journal", well=False, found=f"{len(entries)} errors in the last day in {directory}; the last: {entries[-1]}"
    )


def _tried(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except (PlatformNotFound, PlainError, OSError) as error:
        return Check(name, well=False, found=str(error) or type(error).__name__)
