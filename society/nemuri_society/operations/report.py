"""The report of a run, from the figures of its hosts and the state of its world."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from nemuri_contracts.event import Value
from nemuri_society.contracts.pace import Pace
from nemuri_society.contracts.society import HostHealthReport, Lateness, TokenUse, Waits, WorldHealthReport
from nemuri_society.operations.capacity import capacity, merged
from nemuri_society.world.grid_world import World


class RunReport(Value):
    """The figures of a run of a society."""

    society: str
    agents: int
    seconds: float
    """Duration of the run in seconds of the simulation."""
    wall: float
    """Duration of the run in seconds of the wall clock."""
    rates: dict[str, float]
    """Number of runs of each module, per agent and second of the wall clock."""
    tardiness: dict[str, dict[str, float]]
    """Percentiles 50 and 99 of the lateness of each module that needs no model, in milliseconds."""
    waits: dict[str, Waits]
    """Model requests and their waiting times, by rank of the module."""
    asked: Waits
    """Model requests and their waiting times, of all ranks together."""
    paces: dict[str, Pace]
    """Intervals, model requests and answers by module, for modules that may ask a model."""
    token_use: dict[str, dict[str, TokenUse]]
    """Token usage by module and model."""
    top_spenders: dict[str, TokenUse]
    """Token usage of the agents, by agent id, highest first. After a crash of a host, only those that used most."""
    served: int | None
    """Number of agents that the model can serve at the intervals of document 002, if it could not keep up, else None.
    """
    spent: TokenUse
    """Usage since the society was created, earlier runs included."""
    paused: str
    """Why no module asked a model at the end, in words; empty if modules asked."""
    unfairness: float
    """Ratio of the longest mean wait of an agent to the mean wait of all requests."""
    waiting: int
    """Number of modules that wait to ask a model at the end of the run."""
    silence: float
    """Seconds of the simulation, at the end of the run, since the last decision of the agent that was silent longest.
    """
    conflicts: int
    failures: dict[str, int]
    memory: dict[str, int]
    """Resident memory of each host in bytes, at the end."""
    cpu: dict[str, float]
    """Processor time of each host in seconds."""
    world_health: WorldHealthReport | None
    """Figures of the grid world's process at the end; None for another world."""
    items: float | None
    """Mean number of different items that an agent ever held; None for another world."""
    achievements: float | None


def run_report(
    society: str,
    vitals: Mapping[str, HostHealthReport],
    live_hosts: Mapping[str, HostHealthReport],
    start_second: float,
    world: World | None,
    world_health: WorldHealthReport | None,
    spent: TokenUse | None = None,
    slots: int = 0,
    demand: float = 0.0,
) -> RunReport:
    """Return the report of a run from the newest figures of each host. The run began at `start_second`.

    `vitals` includes crashed hosts, because their work counts. Agents are counted only on `live_hosts`. `spent` is the
    usage since the society was created, `slots` the number of concurrent model requests, or 0,
    `demand` the mean requests of an agent in a second.
    """
    newest = list(vitals.values())
    runs: Counter[str] = Counter()
    late: dict[str, Lateness] = {}
    failures: Counter[str] = Counter()
    for health_report in newest:
        runs.update(health_report.runs)
        failures.update(health_report.failures)
        for module, lateness in health_report.lateness.items():
            late[module] = late.get(module, Lateness()) + lateness
    wall, agents = (
        max((health_report.seconds for health_report in newest), default=0.0),
        sum(health_report.agents for health_report in live_hosts.values()),
    )
    everybody = world.agents if world else ()
    asked = sum((health_report.asked for health_report in newest), Waits())
    paces = merged(health_report.paces for health_report in newest)
    found = capacity(paces, agents, wall, slots, demand) if slots else None
    return RunReport(
        society=society,
        agents=agents,
        seconds=max((health_report.second for health_report in newest), default=start_second) - start_second,
        wall=wall,
        rates={module: round(count / max(wall, 1e-9) / max(agents, 1), 4) for module, count in sorted(runs.items())},
        tardiness={
            module: {"50": lateness.quantile(0.5), "99": lateness.quantile(0.99)} for module, lateness in late.items()
        },
        waits={
            rank: sum((health_report.waits[rank] for health_report in newest), Waits())
            for rank in (newest[0].waits if newest else ())
        },
        asked=asked,
        paces=paces,
        token_use=_token_use(newest),
        top_spenders=_top_spenders(newest),
        served=found.served if found is not None and found.overloaded else None,
        spent=spent or TokenUse(),
        paused=next((host.paused for host in newest if host.paused), ""),
        unfairness=round(asked.unfairness, 3),
        waiting=sum(health_report.waiting for health_report in live_hosts.values()),
        silence=max((health_report.silence for health_report in live_hosts.values()), default=0.0),
        conflicts=sum(health_report.conflicts for health_report in newest),
        failures=dict(failures),
        memory={health_report.host: health_report.memory for health_report in newest},
        cpu={health_report.host: round(health_report.cpu, 2) for health_report in newest},
        world_health=world_health,
        items=_mean([len(world.unique_items(agent)) for agent in everybody]) if world else None,
        achievements=_mean([len(world.achievements(agent)) for agent in everybody]) if world else None,
    )


def _token_use(hosts: Iterable[HostHealthReport]) -> dict[str, dict[str, TokenUse]]:
    found: defaultdict[str, dict[str, TokenUse]] = defaultdict(dict)
    for host in hosts:
        for module, models in sorted(host.token_use.items()):
            for model, use in models.items():
                found[module][model] = found[module].get(model, TokenUse()) + use
    return dict(found)


def _top_spenders(hosts: Iterable[HostHealthReport]) -> dict[str, TokenUse]:
    found = dict[str, TokenUse]()
    for host in hosts:
        for agent_id, use in host.top_spenders.items():
            found[agent_id] = found.get(agent_id, TokenUse()) + use
    return dict(sorted(found.items(), key=lambda pair: -pair[1].tokens))


def _mean(counts: list[int]) -> float:
    return round(sum(counts) / max(1, len(counts)), 3)
