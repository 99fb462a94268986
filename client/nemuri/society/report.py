"""What a society did in a run, from what its hosts told and what its world holds."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from nemuri_contracts.event import Value
from nemuri_contracts.society import Lateness, TokenUse, Turning, Vitals, Waits
from nemuri_domain.world.grid_world import World


class Lived(Value):
    """A run of a society in figures."""

    society: str
    agents: int
    seconds: float
    """Of the society's clock, in this run."""
    wall: float
    """Of the wall's."""
    rates: dict[str, float]
    """Runs of each module in a second of the wall, for each agent."""
    tardiness: dict[str, dict[str, float]]
    """Of the modules without a model: how late they began, in milliseconds, for 50 and for 99 of a hundred runs."""
    waits: dict[str, Waits]
    """Of those that ask models, by rank."""
    asked: Waits
    """Of all ranks together."""
    token_use: dict[str, dict[str, TokenUse]]
    """What questions to models cost, by module and model."""
    top_spenders: dict[str, TokenUse]
    """The agents that spent most, by id, as far as one host knows of each."""
    unfairness: float
    """The mean wait of the agent that waited longest on average, over all its questions, by the mean of all."""
    waiting: int
    """How many of them wait for their turn as the run ends."""
    silence: float
    """The longest that an agent has decided nothing, in seconds of the society's clock, as the run ends."""
    conflicts: int
    failures: dict[str, int]
    memory: dict[str, int]
    """Resident bytes of each host in the end."""
    cpu: dict[str, float]
    """Seconds of processor time of each host."""
    turning: Turning | None
    """The process of the grid world in the end; None for a world that is not the grid."""
    items: float | None
    """Different items that an agent ever held, on average; None for a world that is not the grid."""
    achievements: float | None


def lived(
    society: str,
    told: Mapping[str, Vitals],
    living: Mapping[str, Vitals],
    began: float,
    world: World | None,
    turning: Turning | None,
) -> Lived:
    """The figures of a run, from the newest vitals of each host; `began` is the second at which it began.

    What a host that died has done counts, but its agents are those of others now, who are `living`.
    """
    newest = list(told.values())
    runs: Counter[str] = Counter()
    late: dict[str, Lateness] = {}
    failures: Counter[str] = Counter()
    for each in newest:
        runs.update(each.runs)
        failures.update(each.failures)
        for module, lateness in each.lateness.items():
            late[module] = late.get(module, Lateness()) + lateness
    wall, agents = max((each.seconds for each in newest), default=0.0), sum(each.agents for each in living.values())
    everybody = world.agents if world else ()
    asked = sum((each.asked for each in newest), Waits())
    return Lived(
        society=society,
        agents=agents,
        seconds=max((each.second for each in newest), default=began) - began,
        wall=wall,
        rates={module: round(count / max(wall, 1e-9) / max(agents, 1), 4) for module, count in sorted(runs.items())},
        tardiness={
            module: {"50": lateness.quantile(0.5), "99": lateness.quantile(0.99)} for module, lateness in late.items()
        },
        waits={
            rank: sum((each.waits[rank] for each in newest), Waits()) for rank in (newest[0].waits if newest else ())
        },
        asked=asked,
        token_use=_spent(newest),
        top_spenders=_top_spenders(newest),
        unfairness=round(asked.unfairness, 3),
        waiting=sum(each.waiting for each in living.values()),
        silence=max((each.silence for each in living.values()), default=0.0),
        conflicts=sum(each.conflicts for each in newest),
        failures=dict(failures),
        memory={each.host: each.memory for each in newest},
        cpu={each.host: round(each.cpu, 2) for each in newest},
        turning=turning,
        items=_mean([len(world.unique_items(each)) for each in everybody]) if world else None,
        achievements=_mean([len(world.achievements(each)) for each in everybody]) if world else None,
    )


def _spent(hosts: Iterable[Vitals]) -> dict[str, dict[str, TokenUse]]:
    found: defaultdict[str, dict[str, TokenUse]] = defaultdict(dict)
    for host in hosts:
        for module, models in sorted(host.token_use.items()):
            for model, each in models.items():
                found[module][model] = found[module].get(model, TokenUse()) + each
    return dict(found)


def _top_spenders(hosts: Iterable[Vitals]) -> dict[str, TokenUse]:
    found = dict[str, TokenUse]()
    for host in hosts:
        for agent_id, each in host.top_spenders.items():
            found[agent_id] = found.get(agent_id, TokenUse()) + each
    return dict(sorted(found.items(), key=lambda each: -each[1].tokens))


def _mean(counts: list[int]) -> float:
    return round(sum(counts) / max(1, len(counts)), 3)
