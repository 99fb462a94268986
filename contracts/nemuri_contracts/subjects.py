"""All NATS subjects and stream names. The two subjects that hooks need are in `wire_constants`."""

from binascii import crc32
from collections.abc import Iterable
from dataclasses import dataclass

from nemuri_contracts import wire_constants
from nemuri_contracts.event import ClientEvent, Event

PARTITIONS = 256
"""Number of virtual partitions. It is fixed, so consumers can be regrouped without moving events."""


def virtual_partition(key: str) -> int:
    """Return the virtual partition of `key` (the id of a task or an agent), 0 to 255."""
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
        return (self.clients, *(f"{self.namespace}.{each}.>" for each in ("task", "agent", "operator")))

    @property
    def tasks(self) -> str:
        """Return the subject filter of all events in task subjects. Events of clients about tasks are not included."""
        return f"{self.namespace}.task.>"

    def partition(self, number: int) -> str:
        """Return the subject filter of all task events in a virtual partition."""
        return f"{self.namespace}.task.{number}.>"

    def of(self, event: Event) -> str:
        """Return the exact subject of an event."""
        if isinstance(event, ClientEvent):
            return wire_constants.of_client(self.namespace, event.client_id, event.kind)
        if event.stream == "task":
            return f"{self.namespace}.task.{virtual_partition(str(event.task_id))}.{event.kind}"
        if event.stream == "operator":
            return f"{self.namespace}.operator.{event.kind}"
        return f"{self.agent(str(event.agent_id))}.{event.kind}"

    def agent(self, agent_id: str) -> str:
        """Return the subject prefix of an agent's events."""
        return f"{self.namespace}.agent.{virtual_partition(agent_id)}.{agent_id}"

    def agent_events(self, agent_id: str) -> str:
        """Return the subject filter of all events of an agent."""
        return f"{self.agent(agent_id)}.>"

    def of_agent(self, agent_id: str, kind: type[Event]) -> str:
        """Return the exact subject of an agent's events of one kind."""
        return f"{self.agent(agent_id)}.{kind.kind_of()}"

    def of_kind(self, kind: type[Event], partitions: Iterable[int] | None = None) -> tuple[str, ...]:
        """Return the subject filters of all events of a kind.

        With `partitions`, the filters of task and agent events cover these virtual partitions only. Other events have
        none.
        """
        name = kind.kind_of()
        if kind.stream == "operator":
            return (f"{self.namespace}.operator.{name}",)
        keys = ("*",) if partitions is None or kind.stream == "client" else tuple(str(key) for key in partitions)
        owner = ".*" if kind.stream == "agent" else ""
        return tuple(f"{self.namespace}.{kind.stream}.{key}{owner}.{name}" for key in keys)

    def address(self, kind: type[Event]) -> str:
        """Return the subject of a kind with a name in braces for each variable part, such as
        `nemuri.client.{client}.task_submitted`.
        """
        names = {"client": ("{client}",), "task": ("{partition}",), "agent": ("{partition}", "{agent}"), "operator": ()}
        return ".".join((self.namespace, kind.stream, *names[kind.stream], kind.kind_of()))

    def of_client(self, client: str, kind: type[Event]) -> str:
        """Return the exact subject of a client's events of one kind."""
        return wire_constants.of_client(self.namespace, client, kind.kind_of())

    def events_of_client(self, client: str) -> str:
        """Return the subject filter of all events of a client."""
        return f"{self.namespace}.client.{client}.>"

    def client_of(self, subject: str) -> str | None:
        """Return the client named in a client subject; None for any other subject."""
        _, family, name, *_ = subject.split(".")
        return name if family == "client" else None

    def agent_of(self, subject: str) -> str | None:
        """Return the agent named in an agent subject; None for any other subject."""
        _, family, _, name, *_ = subject.split(".")
        return name if family == "agent" else None

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
    def appended(self) -> str:
        """Return the subject to which the server sends each new event of the log, for all processes that subscribe."""
        return f"{self.namespace}-appended"

    @property
    def projected(self) -> str:
        """Return the subject on which the projector publishes the last stream sequence that it has projected."""
        return f"{self.namespace}-projected"
