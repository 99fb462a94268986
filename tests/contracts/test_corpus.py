"""What was ever recorded can be read for ever: every kind and version, by today's code."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from nemuri_contracts import upcasts
from nemuri_contracts.codec import EVENTS, AnyAgentEvent, UndecodableError, decode, encode
from nemuri_contracts.upcasts import upcast
from nemuri_domain.affective.aggregate import AffectMind
from nemuri_domain.affective.fold import evolve as evolve_affect
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve as evolve_mind
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import LifeEvent
from nemuri_domain.tasks.fold import evolve as evolve_task
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_domain.tiered.fold import evolve_at_its_time
from tests.contracts import corpus
from tests.contracts.examples import EXAMPLES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEPT = list(corpus.kept())


@pytest.mark.parametrize(("kind", "version", "file"), KEPT, ids=[file.stem for _, _, file in KEPT])
def test_what_is_kept_is_read_and_folded(kind: str, version: int, file: Path) -> None:
    """Whatever version it is of, it is an event of today, and no fold stumbles over it."""
    data = file.read_bytes()

    event = decode(data, recorded_at=NOW, sequence=7, client_id="ann")

    assert (type(event), event.version) == (EVENTS[kind], corpus.version_of(kind))
    assert json.loads(data)["version"] == version
    if isinstance(event, get_args(LifeEvent)):
        evolve_task(TaskState(), event)
    if isinstance(event, get_args(AnyAgentEvent)):
        evolve_mind(Mind(), event)
        evolve_affect(AffectMind(), event)
        evolve_at_its_time(TieredMind(), event)


@pytest.mark.parametrize("kind", sorted(EVENTS))
def test_a_contract_changes_with_its_version_only(kind: str) -> None:
    """The example of the present version, which fills every field, is byte for byte the one that is kept."""
    file = corpus.path(kind, corpus.version_of(kind))

    assert file.exists(), f"{kind} has no example of its version; `{corpus.UPDATE}` writes it"
    assert file.read_bytes() == encode(EXAMPLES[kind]) + b"\n", (
        f"{kind} changed: raise its version and add an upcast; before the release `{corpus.UPDATE}`"
    )


def test_of_every_kind_all_versions_are_kept_and_lifted() -> None:
    """From the first on without a gap, and every old one has its upcast."""
    found: dict[str, set[int]] = {}
    for kind, version, _ in KEPT:
        found.setdefault(kind, set()).add(version)

    assert found == {kind: set(range(1, corpus.version_of(kind) + 1)) for kind in EVENTS}
    old = {(kind, version) for kind, version, _ in KEPT if version < corpus.version_of(kind)}
    assert upcasts.UPCASTS.keys() == old


def test_an_older_version_is_lifted_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it had been said today; the log's bytes stay what they are."""
    today: dict[str, Any] = json.loads(encode(EXAMPLES["chunk_summarised"]))
    before = {name: value for name, value in today.items() if name != "point"} | {"version": 0, "sentence": "Steel."}

    def renamed(event: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in event.items() if name != "sentence"} | {"point": event["sentence"]}

    with pytest.raises(UndecodableError):
        decode(json.dumps(before).encode(), recorded_at=NOW, sequence=1)
    monkeypatch.setitem(upcasts.UPCASTS, ("chunk_summarised", 0), renamed)
    event = decode(json.dumps(before).encode(), recorded_at=NOW, sequence=1)

    assert json.loads(encode(event)) == today | {"point": "Steel."}


def test_versions_are_lifted_one_by_one() -> None:
    """Each upcast knows only the next version."""
    steps = {
        ("a", 1): lambda event: event | {"said": [*event["said"], 1]},
        ("a", 2): lambda event: event | {"said": [*event["said"], 2]},
        ("b", 1): lambda event: event | {"said": "b"},
    }

    assert upcast({"kind": "a", "version": 1, "said": []}, steps) == {"kind": "a", "version": 3, "said": [1, 2]}
    assert upcast({"kind": "a", "version": 2, "said": []}, steps) == {"kind": "a", "version": 3, "said": [2]}


@pytest.mark.parametrize("wrong", [{}, {"kind": ["a"], "version": 1}, {"kind": "a", "version": "1"}, {"kind": "a"}])
def test_what_is_no_old_version_is_left_as_it_is(wrong: dict[str, Any]) -> None:
    """Nothing is guessed."""
    assert upcast(wrong, {("a", 1): lambda event: event | {"lifted": True}}) == wrong


def test_an_upcast_that_cannot_make_sense_of_an_event_leaves_it_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client may say anything under an old version: that is undecodable like other nonsense, and halts nobody."""
    monkeypatch.setitem(upcasts.UPCASTS, ("feedback_given", 0), lambda event: {"verdict": event["nowhere"]})

    with pytest.raises(UndecodableError, match="version 0"):
        decode(b'{"kind": "feedback_given", "version": 0}', recorded_at=NOW, sequence=1)
