"""What every service may append is declared by the return types of its reactions, and by nothing else."""

from nemuri.platform.service_registry import SERVICES
from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import ClientEvent, Event
from nemuri_contracts.strength import AgentSlept
from nemuri_contracts.tasks import ReactionFailed

OPERATORS = {
    "agent_defined", "policy_adopted", "embedding_adopted", "memories_embedded", "course_begun", "relation_withdrawn",
    "repetition_withdrawn", "task_reopened", "memories_erased", "task_erased", "agent_erased", "memory_shared",
    "event_parked",
}  # fmt: skip
"""What operators append by their own commands."""


def said(*kinds: type[Event]) -> set[str]:
    """The names of some kinds."""
    return {each.kind_of() for each in kinds}


def test_a_conditional_append_is_among_what_a_service_says() -> None:
    """Sleep appends its sleeps, and says where it gave up; nothing else."""
    assert SERVICES["strength-sleep"].emits() == {AgentSlept, ReactionFailed}


def test_work_in_the_background_is_among_it_too() -> None:
    """The tutor sets a repetition when its timer rings."""
    assert TaskSubmitted in SERVICES["tutor"].emits()


def test_a_service_that_only_reads_says_nothing() -> None:
    """The projector appends nothing at all."""
    assert SERVICES["projector"].emits() == frozenset()


def test_every_kind_is_said_by_a_service_an_operator_or_a_client() -> None:
    """No kind of event is without an author."""
    services = {each.kind_of() for service in SERVICES.values() for each in service.emits()}
    clients = {name for name, kind in EVENTS.items() if issubclass(kind, ClientEvent)}
    assert services | clients | OPERATORS == EVENTS.keys()


def test_only_the_tutor_speaks_as_a_client() -> None:
    """What clients say, no other service says."""
    speaking = {name for name, service in SERVICES.items() for each in service.emits() if issubclass(each, ClientEvent)}
    assert speaking == {"tutor"}
    assert said(FeedbackGiven, TaskSubmitted) <= said(*SERVICES["tutor"].emits())
