"""Operators' commands and the Python client on the shared platform."""

import json
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from nemuri import connect, connect_sync
from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.strength import AgentSlept
from nemuri_services.service_registry import SERVICES
from tests.e2e.conftest import QUESTION, SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]


def test_the_embedder_is_shown(nemuri: CommandLine) -> None:
    """`embedder show` and the status name the embedder, its thresholds and where they come from. The built-in one needs
    no calibration.
    """
    lines = nemuri("embedder", "show").out.splitlines()
    assert lines[-1] == "source      built in"
    shown = nemuri("embedder", "show", "--json").json
    assert shown["calibration"] == nemuri("status", "--json").json["calibration"]
    assert any(line.startswith("thresholds    relevance ") for line in nemuri("status").out.splitlines())
    refused = nemuri("embedder", "calibrate")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "comes with its calibration" in refused.err
    assert nemuri("embedder", "calibrate", "now").code == 2


def test_the_log_is_shown_counted_and_exported(nemuri: CommandLine, task: str, tmp_path: Path) -> None:
    """`log` shows the newest events, counts them by kind and exports each once. A log with events refuses an import.

    Messages of other tests that are not events, or that repeat one, are counted but not exported.
    """
    lines = nemuri("log", "tail", "-n", "100").out.splitlines()
    assert len(lines) >= 3
    assert all(line.split()[0].isdigit() for line in lines)
    assert json.loads(nemuri("log", "tail", "-n", "100", "--json").out.splitlines()[-1])["kind"]
    stats = nemuri("log", "stats", "--json").json
    assert sum(stats["kinds"].values()) == stats["events"] <= stats["last"]["sequence"]
    exported = tmp_path / "log.jsonl"
    assert nemuri("log", "export", exported).code == 0
    *kept, end = exported.read_bytes().splitlines(keepends=True)
    known = [json.loads(line) for line in nemuri("log", "tail", "-n", "1000000", "--json").out.splitlines()]
    written = [each["event"]["event_id"] for each in map(json.loads, kept) if each["store"] == "log"]
    assert written == list(dict.fromkeys(each["event_id"] for each in known))
    assert json.loads(end)["events"] == len(written) <= stats["events"]
    assert "the log is not empty" in nemuri("log", "import", exported).err
    exported.write_bytes(b"".join(kept))
    assert "cut off" in nemuri("log", "import", exported).err


def test_status_verify_and_rebuild_agree(nemuri: CommandLine, task: str) -> None:
    """`status` and `verify` agree with the log, before and after `rebuild`."""
    status = nemuri("status", "--json").json
    assert status["agents"] == len({each["agent_id"] for each in nemuri("agents", "--json").json} - {ORCHESTRATOR})
    assert status["consumers"].keys() >= {name for name, each in SERVICES.items() if each.handlers}
    assert {"pending", "in_work", "paused", "missing"} == status["consumers"]["strength-sleep"].keys()
    assert "\nspecialist" in nemuri("status").out
    address = nemuri("status", "--nats-url").out.strip()
    assert urlsplit(address).password, "another program needs the password"
    assert str(urlsplit(address).password) not in nemuri("status").out + nemuri("status", "--json").out
    assert nemuri("status", "--nats-url", "--json").json == {"nats_url": address}
    assert "0 differences in" in nemuri("verify").out
    assert nemuri("rebuild").code == 0
    verified = nemuri("verify", "--json")
    assert (verified.code, verified.json["differences"]) == (0, [])


def test_connect_sync_finds_the_platform(nemuri: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """`connect_sync` finds the platform by its directory, and its methods return results."""
    monkeypatch.delenv("NATS_URL", raising=False)
    with connect_sync(nemuri.data) as client:
        assert client.ask(QUESTION, agent="cook").status == "done"
        assert "cook" in {agent.agent_id for agent in client.agents()}
        assert client.recall("cook", "salt", top=1).memories


async def test_connect_finds_the_platform(nemuri: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """`connect` finds the platform by its directory."""
    monkeypatch.delenv("NATS_URL", raising=False)
    async with connect(nemuri.data, client_id="test") as client:
        assert "cook" in {agent.agent_id for agent in await client.agents()}
        assert uuid4() not in {memory.memory_id for memory in await client.memories("cook")}


def test_the_scorer_of_an_agent_is_shown(nemuri: CommandLine, task: str) -> None:
    """`scorer` shows the ranking in force and the weight of each of the nine features, as text and as JSON."""
    done = nemuri("scorer", "cook")
    assert done.code == 0
    assert [
        line for line in ("linear-1", "not trained yet", "of 100 samples", "perspective_match") if line not in done.out
    ] == []
    found = nemuri("scorer", "cook", "--json").json
    assert (found["agent_id"], found["ranking"], found["version"], found["wanted"]) == ("cook", "linear-1", None, 100)
    assert 0 < found["gathered"] < 100
    assert len(found["features"]) == 9
    assert found["features"]["similarity"] == {"linear": 0.8, "learned": None}


async def test_a_halted_projector_fails_status_and_verify_until_parked(
    nemuri: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A halted projector makes `status` and `verify` fail with one line that names the event.

    `park` accepts only that event, and only with a reason.
    """
    monkeypatch.delenv("NATS_URL", raising=False)
    async with connect(nemuri.data, client_id="test") as client:
        subject = client.log.subjects.of_agent("cook", AgentSlept)
        place = (await client.log.stream.publish(subject, b"{}")).seq
    while (
        status := nemuri("status")
    ).code == 0:  # The loop ends when the projector reads the event, or at the test's time limit.
        assert f"event {place}" not in status.out
    assert (status.code, len(status.err.splitlines())) == (1, 1)
    assert f"halted: event {place} on" in status.err
    assert f"`nemuri park {place} --why TEXT`" in status.err
    verified = nemuri("verify")
    assert (verified.code, "0 differences" in verified.out) == (1, True)
    assert f"halted: event {place} on" in verified.err
    assert nemuri("park", str(place)).code == 2
    refused = nemuri("park", "1", "--why", "by mistake")
    assert (refused.code, f"halted at event {place}" in refused.err) == (1, True)

    assert "is parked" in nemuri("park", str(place), "--why", "published by a test").out

    status = nemuri("status")
    assert status.code == 0, status.err
    assert nemuri("verify").code == 0
    # Other events may follow: the first nightly job of an agent runs at any time.
    assert "event_parked" in nemuri("log", "tail", "-n", "20").out
