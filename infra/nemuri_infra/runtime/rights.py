"""Rights: the subjects of the NATS server that a user may publish on and subscribe to."""

from dataclasses import dataclass

from nemuri_infra.bus.access import API_PREFIX
from nemuri_infra.runtime.provisioning import Durable

API = API_PREFIX


@dataclass(frozen=True, slots=True)
class Rights:
    """The subjects that a user may publish on and subscribe to.

    `denied` forbids publishing on subjects that a wildcard in `publish` would allow.
    """

    publish: frozenset[str] = frozenset()
    subscribe: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()

    def __or__(self, other: "Rights") -> "Rights":
        """Return the rights that either operand grants. A subject that either operand denies stays forbidden."""
        return Rights(self.publish | other.publish, self.subscribe | other.subscribe, self.denied | other.denied)


def publishing(*subjects: str) -> Rights:
    """Return the right to publish on these subjects."""
    return Rights(publish=frozenset(subjects))


def subscribing(*subjects: str) -> Rights:
    """Return the right to subscribe to these subjects."""
    return Rights(subscribe=frozenset(subjects))


def consuming(stream: str, durable: Durable) -> Rights:
    """Return the right to receive and acknowledge messages of an existing durable consumer.

    Without the right to publish on `$JS.ACK…`, handled events would be redelivered, and no error would be reported.
    """
    return publishing(
        f"{API}.CONSUMER.INFO.{stream}.{durable.name}",
        f"{API}.CONSUMER.MSG.NEXT.{stream}.{durable.name}",
        f"$JS.ACK.{stream}.{durable.name}.>",
    )
