"""How many agents a model serves at the intervals of document 002, from the waits and answer times of a run."""

from collections.abc import Iterable, Mapping
from typing import Final

from nemuri_contracts.event import Value
from nemuri_society.contracts.pace import Pace

MIN_REQUESTS: Final = 8
"""Number of requests below which a run says nothing about capacity."""
LONG_WAIT: Final = 1.0
"""Mean seconds of waiting for a place from which on the model cannot keep up."""
LONG_ANSWER: Final = 10.0
"""Mean seconds until an answer, waiting included, from which on the model cannot keep up: the longest interval of goals
and planning (document 002 §3.3).
"""


class Capacity(Value):
    """The capacity of a model in a stretch of a run."""

    wait: float
    """Mean seconds that requests waited for a place."""
    answer: float
    """Mean seconds until an answer."""
    served: int
    """Number of agents that the model serves without waits, 0 to all; fewer than all if the model is overloaded."""
    overloaded: bool
    """True if the agents could not keep their intervals."""


def capacity(paces: Mapping[str, Pace], agents: int, seconds: float, slots: int, demand: float) -> Capacity | None:
    """Return the capacity of the model over `seconds` wall-clock seconds with `agents` agents and `slots` places.

    `demand` is the measured mean of requests of one agent in a second without waits. What the run itself shows may be
    more: without waits a module would ask once in its present cycle minus its mean wait. The larger of both counts.
    Returns None if there were too few requests.
    """
    requests = sum(pace.requests for pace in paces.values())
    answered = sum(pace.answered for pace in paces.values())
    if requests < MIN_REQUESTS or not answered or seconds <= 0 or not agents:
        return None
    wait = sum(pace.wait_seconds for pace in paces.values()) / requests
    answer = sum(pace.answer_seconds for pace in paces.values()) / answered
    throughput = slots / answer if wait > LONG_WAIT and answer > 0 else answered / seconds
    wished = max(agents * demand, sum(_wished(pace, agents, seconds) for pace in paces.values()))
    overloaded = wait > LONG_WAIT or wait + answer > LONG_ANSWER
    return Capacity(
        wait=wait,
        answer=answer,
        served=min(int(agents * throughput / wished), agents - overloaded),
        overloaded=overloaded,
    )


def since(now: Mapping[str, Pace], then: Mapping[str, Pace]) -> dict[str, Pace]:
    """Return the figures of each module that were counted after `then`."""
    return {module: pace.since(then.get(module, Pace())) for module, pace in now.items()}


def merged(hosts: Iterable[Mapping[str, Pace]]) -> dict[str, Pace]:
    """Return the figures of all hosts by module."""
    found = dict[str, Pace]()
    for host in hosts:
        for module, pace in host.items():
            found[module] = found.get(module, Pace()) + pace
    return dict(sorted(found.items()))


def _wished(pace: Pace, agents: int, seconds: float) -> float:
    """Return the requests a second that a module of all agents would make without waits."""
    if not pace.requests:
        return 0.0
    cycle = agents * seconds / pace.requests
    return agents / max(cycle - pace.wait, cycle / 10)
