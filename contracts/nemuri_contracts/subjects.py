"""Every subject on the bus; no other place spells one, but `spelling` the two that hooks need."""

from binascii import crc32
from collections.abc import Iterable
from dataclasses import dataclass

from nemuri_contracts import wire_constants
from nemuri_contracts.event import ClientEvent, Event

PARTITIONS = 256
"""Virtual partitions, so that consumers can be regrouped for ever without moving an event."""


def virtual_partition(key: str) -> int:
    """The virtual partition of a task or an agent, 0 to 255."""
    return crc32(key.encode()) % PARTITIONS


@dataclass(frozen=True, slots=True)
class Subjects:
    """The subjects of one namespace."""

    namespace: str

    @property
    def stream(self) -> str:
        """The name of the log's stream."""
        return self.namespace

    @property
    def dead_stream(self) -> str:
        """The name of the stream of dead letters."""
        return f"{self.namespace}-dead"

    @property
    def everything(self) -> tuple[str, ...]:
        """The subjects that the log's stream records."""
        return (self.clients, *(f"{self.namespace}.{each}.>" for each in ("task", "agent", "operator")))

    @property
    def tasks(self) -> str:
        """Every subject of what is recorded of tasks, but for what clients say."""
        return f"{self.namespace}.task.>"

    def partition(self, number: int) -> str:
        """Every subject of what is recorded of the tasks in a virtual partition."""
        return f"{self.namespace}.task.{number}.>"

    def of(self, event: Event) -> str:
        """The exact subject on which the event is recorded."""
        if isinstance(event, ClientEvent):
            return wire_constants.of_client(self.namespace, event.client_id, event.kind)
        if event.stream == "task":
            return f"{self.namespace}.task.{virtual_partition(str(event.task_id))}.{event.kind}"
        if event.stream == "operator":
            return f"{self.namespace}.operator.{event.kind}"
        return f"{self.agent(str(event.agent_id))}.{event.kind}"

    def agent(self, agent_id: str) -> str:
        """The beginning of every subject of an agent's own events: the sub-stream of its mind."""
        return f"{self.namespace}.agent.{virtual_partition(agent_id)}.{agent_id}"

    def mind(self, agent_id: str) -> str:
        """Every subject of an agent's own events at once."""
        return f"{self.agent(agent_id)}.>"

    def of_agent(self, agent_id: str, kind: type[Event]) -> str:
        """The exact subject on which the agent's own events of a kind are recorded."""
        return f"{self.agent(agent_id)}.{kind.kind_of()}"

    def of_kind(self, kind: type[Event], partitions: Iterable[int] | None = None) -> tuple[str, ...]:
        """The subjects of all events of a kind, or of those in some virtual partitions."""
        name = kind.kind_of()
        if kind.stream == "operator":
            return (f"{self.namespace}.operator.{name}",)
        keys = ("*",) if partitions is None or kind.stream == "client" else tuple(str(key) for key in partitions)
        owner = ".*" if kind.stream == "agent" else ""
        return tuple(f"{self.namespace}.{kind.stream}.{key}{owner}.{name}" for key in keys)

    def address(self, kind: type[Event]) -> str:
        """The form of the subjects of a kind, with a name in braces for each part that varies."""
        names = {"client": ("{client}",), "task": ("{partition}",), "agent": ("{partition}", "{agent}"), "operator": ()}
        return ".".join((self.namespace, kind.stream, *names[kind.stream], kind.kind_of()))

    def of_client(self, client: str, kind: type[Event]) -> str:
        """The exact subject on which a client says something of a kind."""
        return wire_constants.of_client(self.namespace, client, kind.kind_of())

    def client_of(self, subject: str) -> str | None:
        """Who said it: the client in a client's subject; None for any other subject."""
        _, family, name, *_ = subject.split(".")
        return name if family == "client" else None

    def agent_of(self, subject: str) -> str | None:
        """Whose mind it belongs to: the agent in an agent's subject; None for any other subject."""
        _, family, _, name, *_ = subject.split(".")
        return name if family == "agent" else None

    @property
    def clients(self) -> str:
        """Everything that clients say, also what nobody understands."""
        return f"{self.namespace}.client.>"

    def dead(self, service: str, sequence: int | str = "*") -> str:
        """Where a service puts the event at a place in the log that it gave up on; by default any event."""
        return f"{self.namespace}-dead.{service}.{sequence}"

    def result(self, task_id: str) -> str:
        """Where the result of a task lies for a while, as the server itself spells the keys of a store."""
        return f"$KV.{self.namespace}-results.{task_id}"

    def query(self, name: str) -> str:
        """Where a question is asked; answers come back to the asker's inbox."""
        return wire_constants.query(self.namespace, name)

    @property
    def timers_stream(self) -> str:
        """The name of the stream of timers."""
        return f"{self.namespace}-timers"

    def timer(self, key: str) -> str:
        """Where a timer waits; one at a time for each key, of letters, digits, `_` and `-`."""
        return f"{self.namespace}-timers.set.{key}"

    def ringing(self, key: str) -> str:
        """Where a timer is put as soon as it is due."""
        return f"{self.namespace}-timers.due.{key}"

    @property
    def projected(self) -> str:
        """Where the projector says how far its views are."""
        return f"{self.namespace}-projected"

    def society(self, society: str) -> str:
        """The beginning of what the hosts and the world of a society say to each other; none of it is recorded."""
        return f"{self.namespace}.society.{society}"

    def joining(self, society: str) -> str:
        """Where hosts ask the world to take agents in; answered to their inbox. Leaving is said beside it."""
        return f"{self.society(society)}.world.join"

    def leaving(self, society: str) -> str:
        """Where hosts tell the world that agents go."""
        return f"{self.society(society)}.world.leave"

    def acts(self, society: str) -> str:
        """Where hosts tell the world what agents do."""
        return f"{self.society(society)}.world.act"

    def percepts(self, society: str, host: str = "*") -> str:
        """Where the world tells a host what its agents perceive; by default any host."""
        return f"{self.society(society)}.percepts.{host}"

    def vitals(self, society: str, host: str = "*") -> str:
        """Where a host tells how it is, every second; by default any host."""
        return f"{self.society(society)}.vitals.{host}"

    def turning(self, society: str) -> str:
        """Where the grid world tells how it is, every beat."""
        return f"{self.society(society)}.world.turning"
