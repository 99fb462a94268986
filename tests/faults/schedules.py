"""Fault schedules: pure data drawn from a seed, so that each schedule can be repeated exactly."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nemuri_services.service_registry import SERVICES

Kind = Literal[
    "kill", "kill_all", "stop", "kill_server", "kill_backend", "freeze_server", "restart_servers", "duplicate",
    "delay", "cut", "silence", "full_disk", "model", "clock", "wall_clock",
]  # fmt: skip
Request = Literal["small", "large", "listed", "panel", "turns", "judged", "remembered", "repeated"]
COPIES = ("intake", "specialist", "attribution", "strength-sleep", "projector")
"""Services that also run on the second machine."""
WORKERS = (*SERVICES, *(f"{name}-2" for name in COPIES))
SERVERS = ("nats", "postgres")
MISBEHAVIOURS = ("429", "500", "garbage", "nonsense", "late", "reset", "half")
"""Ways in which a model misbehaves: HTTP 429 and 500, broken body, useless text, timeout, connection reset, half a
body.
"""
REQUESTS: tuple[Request, ...] = ("small", "large", "listed", "panel", "turns", "judged", "remembered", "repeated")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, which happens when the log has grown by `after` events since the schedule began."""

    kind: Kind
    after: int
    targets: tuple[str, ...] = ()
    seconds: float = 0.0
    """Duration in seconds, for faults that end; 0 for others."""
    number: int = 0
    """Number of messages or model calls, or seconds by which a clock is moved."""
    variant: str = ""

    def __str__(self) -> str:
        parts = (self.kind, self.variant, ",".join(self.targets), f"{self.number}" if self.number else "")
        lasting = f" for {self.seconds:.1f} s" if self.seconds else ""
        return f"{' '.join(part for part in parts if part)}{lasting} after {self.after} events"


@dataclass(frozen=True, slots=True)
class Schedule:
    """The requests of clients, and the faults that happen meanwhile."""

    seed: int
    requests: tuple[Request, ...]
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        return f"{self.seed}: {', '.join(self.requests)} | {'; '.join(map(str, self.faults))}"


def _kill(rng: random.Random) -> Fault:
    return Fault("kill", 0, tuple(rng.sample(WORKERS, rng.choice((1, 1, 1, 2)))))


def _stop(rng: random.Random) -> Fault:
    """Return a fault that suspends a worker for longer than the acknowledgement timeout, so that another worker gets
    its events.
    """
    name = rng.choice(COPIES)
    return Fault("stop", 0, (rng.choice((name, f"{name}-2")),), seconds=rng.uniform(1.5, 2.5))


def _duplicate(rng: random.Random) -> Fault:
    """Return a fault that publishes messages again, under the same message id or without one."""
    return Fault("duplicate", 0, number=rng.randrange(10, 80), variant=rng.choice(("named", "bare", "bare")))


DRAWN: dict[Kind, tuple[int, Callable[[random.Random], Fault]]] = {
    "kill": (8, _kill),
    "stop": (4, _stop),
    "kill_server": (5, lambda rng: Fault("kill_server", 0, (rng.choice(SERVERS),))),
    "kill_backend": (2, lambda _: Fault("kill_backend", 0, ("postgres",))),
    "freeze_server": (3, lambda rng: Fault("freeze_server", 0, (rng.choice(SERVERS),), seconds=rng.uniform(0.3, 2.0))),
    "restart_servers": (1, lambda _: Fault("restart_servers", 0, SERVERS)),
    "kill_all": (1, lambda _: Fault("kill_all", 0, (*WORKERS, *SERVERS))),
    "duplicate": (6, _duplicate),
    "delay": (4, lambda rng: Fault("delay", 0, ("second machine",), seconds=rng.uniform(0.5, 3.0))),
    "cut": (4, lambda _: Fault("cut", 0, ("second machine",))),
    "silence": (3, lambda rng: Fault("silence", 0, ("second machine",), seconds=rng.uniform(1.0, 3.0))),
    "full_disk": (4, lambda rng: Fault("full_disk", 0, (rng.choice(SERVERS),), seconds=rng.uniform(0.5, 2.0))),
    "model": (8, lambda rng: Fault("model", 0, number=rng.randrange(2, 12), variant=rng.choice(MISBEHAVIOURS))),
    "clock": (2, lambda rng: Fault("clock", 0, number=rng.randrange(60, 3 * 86_400))),
    "wall_clock": (2, lambda rng: Fault("wall_clock", 0, number=rng.choice((-1, 1)) * rng.randrange(60, 86_400))),
}
"""The relative frequency of each kind of fault, and the function that draws a fault of that kind."""


def schedule(seed: int, only: Sequence[Kind] = ()) -> Schedule:
    """Return the schedule of a seed: two to four requests, and one to three faults at random positions.

    If `only` is given, all faults are of these kinds.
    """
    rng = random.Random(seed)
    requests = tuple(rng.choices(REQUESTS, k=rng.randrange(2, 5)))
    drawn_from = {kind: weight for kind, (weight, _) in DRAWN.items() if not only or kind in only}
    kinds = rng.choices([*drawn_from], weights=[*drawn_from.values()], k=rng.choice((1, 1, 2, 2, 3)))
    drawn = (DRAWN[kind][1](rng) for kind in kinds)
    faults = [replace(each, after=rng.randrange(1, 20 * len(requests))) for each in drawn]
    return Schedule(seed, requests, tuple(sorted(faults, key=lambda fault: fault.after)))


def schedules(first: int, number: int, only: Sequence[Kind] = ()) -> list[Schedule]:
    """Return the schedules of `number` consecutive seeds, from seed `first` on."""
    return [schedule(seed, only) for seed in range(first, first + number)]
