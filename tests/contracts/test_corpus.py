"""Present code reads stored examples of all kinds and versions of events."""

import json
from datetime import UTC, datetime
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


def test_every_stored_example_is_decoded_and_folded(subtests: pytest.Subtests) -> None:
    """An example of any version is decoded as an event of the present version, and no fold raises."""
    for kind, version, file in KEPT:
        with subtests.test(file.stem):
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


def test_a_changed_contract_needs_a_new_version(subtests: pytest.Subtests) -> None:
    """The stored example of the present version equals the encoded example byte for byte. Otherwise the event has
    changed.
    """
    for kind in sorted(EVENTS):
        with subtests.test(kind):
            file = corpus.path(kind, corpus.version_of(kind))

            assert file.exists(), f"{kind} has no example of its version; `{corpus.UPDATE}` writes it"
            assert file.read_bytes() == encode(EXAMPLES[kind]) + b"\n", (
                f"{kind} changed: raise its version, add an upcast, then `{corpus.UPDATE}`"
            )


def test_all_versions_of_each_kind_are_stored_and_upcast() -> None:
    """Stored versions of each kind have no gap from 1 on, and each old version has an upcast (a conversion to the next
    one).
    """
    found: dict[str, set[int]] = {}
    for kind, version, _ in KEPT:
        found.setdefault(kind, set()).add(version)

    assert found == {kind: set(range(1, corpus.version_of(kind) + 1)) for kind in EVENTS}
    old = {(kind, version) for kind, version, _ in KEPT if version < corpus.version_of(kind)}
    assert upcasts.UPCASTS.keys() == old


def test_an_old_version_is_upcast_before_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event of an old version is decoded with the content that its upcast returns. Without an upcast it is
    undecodable.
    """
    today: dict[str, Any] = json.loads(encode(EXAMPLES["chunk_summarised"]))
    before = {name: value for name, value in today.items() if name != "point"} | {"version": 0, "sentence": "Steel."}

    def renamed(event: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in event.items() if name != "sentence"} | {"point": event["sentence"]}

    with pytest.raises(UndecodableError):
        decode(json.dumps(before).encode(), recorded_at=NOW, sequence=1)
    monkeypatch.setitem(upcasts.UPCASTS, ("chunk_summarised", 0), renamed)
    event = decode(json.dumps(before).encode(), recorded_at=NOW, sequence=1)

    assert json.loads(encode(event)) == today | {"point": "Steel."}


def test_versions_are_upcast_one_by_one() -> None:
    """An event is converted by one upcast after another, each to the next version, up to the present one."""
    steps = {
        ("a", 1): lambda event: event | {"said": [*event["said"], 1]},
        ("a", 2): lambda event: event | {"said": [*event["said"], 2]},
        ("b", 1): lambda event: event | {"said": "b"},
    }

    assert upcast({"kind": "a", "version": 1, "said": []}, steps) == {"kind": "a", "version": 3, "said": [1, 2]}
    assert upcast({"kind": "a", "version": 2, "said": []}, steps) == {"kind": "a", "version": 3, "said": [2]}


@pytest.mark.parametrize("wrong", [{}, {"kind": ["a"], "version": 1}, {"kind": "a", "version": "1"}, {"kind": "a"}])
def test_an_unknown_version_is_not_upcast(wrong: dict[str, Any]) -> None:
    """A message without a known kind and version is left unchanged."""
    assert upcast(wrong, {("a", 1): lambda event: event | {"lifted": True}}) == wrong


def test_an_event_that_its_upcast_cannot_convert_is_undecodable(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event is undecodable if its upcast fails. A client may send any content under an old version."""
    monkeypatch.setitem(upcasts.UPCASTS, ("feedback_given", 0), lambda event: {"verdict": event["nowhere"]})

    with pytest.raises(UndecodableError, match="version 0"):
        decode(b'{"kind": "feedback_given", "version": 0}', recorded_at=NOW, sequence=1)
