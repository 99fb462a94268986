"""All NATS subjects and stream names. The two subjects that hooks need are in `wire_constants`."""

from binascii import crc32
from dataclasses import dataclass
from uuid import UUID

from nemuri_contracts import wire_constants
from nemuri_contracts.event import ClientEvent, Event
from nemuri_contracts.wire_constants import NO_TASK

PARTITIONS = 256
"""Number of virtual partitions. It is fixed, so that consumers can be divided without moving events."""


def virtual_partition(key: str) -> int:
    """Return the virtual partition of `key` (the id of an agent), 0 to 255."""
    return crc32(key.encode()) % PARTITIONS


@dataclass(frozen=True, slots=True)
class Subjects:
    """Subjects and stream names of one namespace."""

    namespace: str

    @property
    def stream(self) -> str:
        """Return the name of the log's stream."""
        return self.namespace

    @property
    def dead_stream(self) -> str:
        """Return the name of the dead-letter stream."""
        return f"{self.namespace}-dead"

    @property
    def everything(self) -> tuple[str, ...]:
        """Return the subject filters of the log's stream."""
        return (self.clients, *(f"{self.namespace}.{root}.>" for root in ("task", "agent", "operator")))

    @property
    def tasks(self) -> str:
        """Return the subject filter of what services append about tasks, without the events of agents' work."""
        return f"{self.namespace}.task.>"

    def history(self, of: UUID) -> str:
        """Return the subject filter of the history of a task or a conversation: its own events, and those of clients
        and agents about it.
        """
        return f"{self.namespace}.*.{of}.>"

    def of(self, event: Event) -> str:
        """Return the exact subject of an event."""
        task = str(event.filed_under) if event.filed_under is not None else NO_TASK
        if isinstance(event, ClientEvent):
            return wire_constants.of_client(self.namespace, event.client_id, event.kind, task)
        if event.stream == "task":
            return f"{self.namespace}.task.{task}.{event.kind}"
        if event.stream == "operator":
            return f"{self.namespace}.operator.{event.kind}"
        return self._of_agent(str(event.agent_id), task, event.kind)

    def _of_agent(self, agent_id: str, task: str, kind: str) -> str:
        return f"{self.namespace}.agent.{task}.{virtual_partition(agent_id)}.{agent_id}.{kind}"

    def agent_events(self, agent_id: str) -> str:
        """Return the subject filter of all events of an agent."""
        return self._of_agent(agent_id, "*", "*")

    def of_agent(self, agent_id: str, kind: type[Event]) -> str:
        """Return the subject of an agent's events of one kind. It is a filter if their subjects name tasks."""
        return self._of_agent(agent_id, _task_of(kind), kind.kind_of())

    def of_kind(self, kind: type[Event]) -> tuple[str, ...]:
        """Return the subject filters of all events of a kind."""
        first, name = f"{self.namespace}.{kind.stream}", kind.kind_of()
        match kind.stream:
            case "operator":
                return (f"{first}.{name}",)
            case "task":
                return (f"{first}.*.{name}",)
            case "client":
                return (f"{first}.{_task_of(kind)}.*.{name}",)
            case _:
                return (f"{first}.{_task_of(kind)}.*.*.{name}",)

    def address(self, kind: type[Event]) -> str:
        """Return the subject of a kind with a name in braces for each variable part, such as
        `nemuri.client.{task}.{client}.task_submitted`.
        """
        task = "{task}" if kind.names_task else "{conversation}" if kind.names_conversation else NO_TASK
        names = {"client": (task, "{client}"), "task": (task,), "agent": (task, "{partition}", "{agent}")}
        return ".".join((self.namespace, kind.stream, *names.get(kind.stream, ()), kind.kind_of()))

    def of_client(self, client: str, kind: type[Event]) -> str:
        """Return the subject of a client's events of one kind. It is a filter if their subjects name tasks."""
        return wire_constants.of_client(self.namespace, client, kind.kind_of(), _task_of(kind))

    def submission(self, task_id: UUID) -> str:
        """Return the subject filter of the submission of a task, whoever its client is."""
        return wire_constants.of_client(self.namespace, "*", "task_submitted", str(task_id))

    def events_of_client(self, client: str) -> str:
        """Return the subject filter of all events of a client."""
        return f"{self.namespace}.client.*.{client}.>"

    def client_of(self, subject: str) -> str | None:
        """Return the client named in a client subject; None for any other subject.

        Of a malformed client subject that is too short, return the last name.
        """
        _, family, *names = subject.split(".")
        return names[:2][-1] if family == "client" else None

    def agent_of(self, subject: str) -> str | None:
        """Return the agent named in an agent subject; None for any other subject."""
        return _name_in(subject, "agent", 4)

    @property
    def clients(self) -> str:
        """Return the subject filter of all client events, including unknown kinds."""
        return f"{self.namespace}.client.>"

    def dead(self, service: str, sequence: int | str = "*") -> str:
        """Return the subject of the dead letter of a message, by the service that gave it up and the message's stream
        sequence.

        Without a sequence, return the filter for all dead letters of the service.
        """
        return f"{self.namespace}-dead.{service}.{sequence}"

    def result(self, task_id: str) -> str:
        """Return the subject under which the NATS server publishes a task's result in the key-value store."""
        return f"$KV.{self.namespace}-results.{task_id}"

    def draft(self, task_id: str) -> str:
        """Return the subject of the pieces of a task's answer while a model writes it. The log does not store them."""
        return f"{self.namespace}-drafts.{task_id}"

    def query(self, name: str) -> str:
        """Return the subject of a query. The answer goes to the sender's inbox."""
        return wire_constants.query(self.namespace, name)

    @property
    def timers_stream(self) -> str:
        """Return the name of the timer stream."""
        return f"{self.namespace}-timers"

    def timer(self, service: str = "*", key: str = "*") -> str:
        """Return the subject on which a service sets a timer. A later timer with the same key replaces it.

        `key` consists of letters, digits, `_` and `-`. Without arguments, return the filter of all these subjects.
        """
        return f"{self.namespace}-timers.set.{service}.{key}"

    def timer_due(self, service: str = "*", key: str = "*") -> str:
        """Return the subject on which the server publishes a service's timer when it is due."""
        return f"{self.namespace}-timers.due.{service}.{key}"

    @property
    def projected(self) -> str:
        """Return the subject on which the projector publishes how far it has projected the log, and what changed."""
        return f"{self.namespace}-projected"


def _task_of(kind: type[Event]) -> str:
    """Return what stands for the task in a filter of the subjects of a kind."""
    return "*" if kind.names_task or kind.names_conversation else NO_TASK


def _name_in(subject: str, family: str, place: int) -> str | None:
    """Return the token at a place of a subject of this family; None for a subject of another family or too short."""
    tokens = subject.split(".")
    return tokens[place] if tokens[1] == family and len(tokens) > place else None
