"""The judgement on the status of a platform."""

from typing import Any

from nemuri.admin.platform_status import ConsumerStatus, PlatformStatus
from nemuri.window.platform_health import BEHIND, health_of
from nemuri_contracts.agents import Embedding

EMBEDDING = Embedding(model="nemuri-words-3", dimension=256)


def status(**changes: Any) -> PlatformStatus:
    """Return the status of a platform that is well, with some changes."""
    known: dict[str, Any] = {
        "projected": 9,
        "tasks": {},
        "agents": 1,
        "memories": 1,
        "memories_by_kind": {"strength": 1},
        "embedding": EMBEDDING,
        "bus": None,
        "log": 9,
        "lag": 0,
        "consumers": {"intake": ConsumerStatus(pending=BEHIND - 1)},
        "incomplete": False,
        "dead_letters": 0,
        "proposed_principles": 0,
        "stopped_webhooks": 0,
        "storage": {"log": 0.5},
        "stream_bytes": {"log": 4_096},
    }
    return PlatformStatus(**known | changes)


def test_a_platform_without_faults_is_well() -> None:
    """Find neither faults nor anything that waits."""
    found = health_of(status())
    assert (found.well, found.faults, found.waiting) == (True, {}, {})


def test_each_fault_is_named_with_its_place() -> None:
    """Name the projector, ended services, missing and late consumers and full stores."""
    consumers = {
        "intake": ConsumerStatus(pending=BEHIND),
        "specialist": ConsumerStatus(missing=True),
        "tutor": ConsumerStatus(paused=True),
    }
    stopped = {"tutor": "it returned"}
    found = health_of(
        status(
            halted="the fold broke",
            halted_services=stopped,
            consumers=consumers,
            storage={"log": 0.91, "blobs": 0.1},
        )
    )
    assert not found.well
    assert found.faults == {
        "halted": "the fold broke",
        "stopped": "tutor (it returned)",
        "missing": "specialist",
        "paused": "tutor",
        "behind": "intake",
        "full": "log 91%",
    }


def test_a_restore_explains_the_pauses() -> None:
    """Name an unfinished restore instead of the services that it pauses."""
    found = health_of(status(incomplete=True, consumers={"tutor": ConsumerStatus(paused=True)}))
    assert [*found.faults] == ["incomplete"]


def test_what_waits_is_no_fault() -> None:
    """Count tasks, dead letters, principles and webhooks that wait for a person, and still be well."""
    tasks = {"negotiation": 1, "clarification": 2}
    found = health_of(status(tasks=tasks, dead_letters=3, proposed_principles=4, stopped_webhooks=5))
    assert found.well
    assert found.waiting == {"waiting": 3, "dead letters": 3, "principles": 4, "webhooks": 5}
