"""Subjects of the messages between the hosts and the world of a society, and of its record.

The log does not store these messages. The record has a stream of its own.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SocietySubjects:
    """The subjects of the societies of one namespace. `society` is a name, or `*` for all societies."""

    namespace: str

    def joining(self, society: str) -> str:
        """Return the subject on which hosts request to add agents to the world. Answers go to the sender's inbox."""
        return f"{self._society(society)}.world.join"

    def leaving(self, society: str) -> str:
        """Return the subject on which hosts tell the world to remove agents."""
        return f"{self._society(society)}.world.leave"

    def acts(self, society: str) -> str:
        """Return the subject on which hosts send the acts of their agents to the world."""
        return f"{self._society(society)}.world.act"

    def percepts(self, society: str, host: str = "*") -> str:
        """Return the subject on which the world sends percepts to a host; by default a filter for all hosts."""
        return f"{self._society(society)}.percepts.{host}"

    def vitals(self, society: str, host: str = "*") -> str:
        """Return the subject of a host's health report, sent every second; by default a filter for all hosts."""
        return f"{self._society(society)}.vitals.{host}"

    def world_health(self, society: str) -> str:
        """Return the subject on which the world sends its health report at every heartbeat."""
        return f"{self._society(society)}.world.turning"

    def record(self, society: str, writer: str = "*") -> str:
        """Return the subject of the record of a society: `host` for what hosts write, `operator` for what commands
        write; by default a filter for both.
        """
        return f"{self._society(society)}.record.{writer}"

    def _society(self, society: str) -> str:
        return f"{self.namespace}.society.{society}"
