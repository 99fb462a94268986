"""The return types of a service's event handlers declare which events the service may append."""

from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import ClientEvent, Event
from nemuri_contracts.strength import AgentSlept
from nemuri_contracts.tasks import ReactionFailed
from nemuri_services.service_registry import SERVICES

OPERATORS = {
    "agent_defined", "policy_adopted", "embedding_adopted", "memories_embedded", "course_begun",
    "repetition_withdrawn", "task_reopened", "memories_erased", "task_erased", "agent_erased", "memory_shared",
    "memory_copied", "event_parked", "log_archived", "semantic_memory_split", "project_merged",
    "memory_rescoped", "memories_rewound",
}  # fmt: skip
"""Kinds of events that operators append with commands."""


def kinds_of(*kinds: type[Event]) -> set[str]:
    """Return the kind names of these event classes."""
    return {kind.kind_of() for kind in kinds}


def test_a_conditional_append_is_emitted() -> None:
    """The sleep service emits `AgentSlept`, which it appends conditionally, and `ReactionFailed`, and nothing else."""
    assert SERVICES["strength-sleep"].emits() == {AgentSlept, ReactionFailed}


def test_events_of_background_work_are_emitted() -> None:
    """The tutor emits `TaskSubmitted`, which its timer appends."""
    assert TaskSubmitted in SERVICES["tutor"].emits()


def test_a_service_without_appends_emits_nothing() -> None:
    """The projector emits no event."""
    assert SERVICES["projector"].emits() == frozenset()


def test_every_kind_is_emitted_by_a_service_an_operator_or_a_client() -> None:
    """Every kind of event is appended by a service, a client or an operator."""
    services = {event.kind_of() for service in SERVICES.values() for event in service.emits()}
    clients = {name for name, kind in EVENTS.items() if issubclass(kind, ClientEvent)}
    assert services | clients | OPERATORS == EVENTS.keys()


def test_only_the_tutor_emits_client_events() -> None:
    """Only the tutor, of all services, emits events of the kinds that clients append."""
    speaking = {name for name, service in SERVICES.items() for kind in service.emits() if issubclass(kind, ClientEvent)}
    assert speaking == {"tutor"}
    assert kinds_of(FeedbackGiven, TaskSubmitted) <= kinds_of(*SERVICES["tutor"].emits())
