"""Prometheus metrics of a society's host. They are computed from its health report at each scrape."""

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from nemuri_society.contracts.pace import Pace
from nemuri_society.contracts.society import LATENESS, HostHealthReport, Lateness, TokenUse, Waits

LATENESS_BOUNDS = (*(str(bound / 1_000) for bound in LATENESS), "+Inf")
"""Upper bounds of the lateness buckets, in seconds, as Prometheus writes them."""


class HostCollector(Collector):
    """A Prometheus collector of a host's health report.

    Only the few agents that have used most tokens are labels, because the number of agents is unlimited.
    """

    def __init__(self, vitals: Callable[[], HostHealthReport]) -> None:
        """Create the collector. At each scrape it calls `vitals` for the host's present health report."""
        self._vitals = vitals

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics, computed from one health report."""
        now = self._vitals()
        yield _counter("runs", "Runs of modules.", "module", now.runs)
        yield _counter("failures", "Failed runs of modules.", "module", now.failures)
        yield _lateness(now.lateness)
        yield _hearing(now.hearing)
        yield _questions(now.waits)
        yield from _spent(now.token_use)
        yield from _top_agents(now.top_spenders)
        yield from _paces(now.paces)
        waits = {rank: (wait.mean, wait.longest) for rank, wait in now.waits.items()}
        for nth, name in enumerate(("mean", "longest")):
            told = f"Seconds that modules of this host's agents waited for a model call: the {name}."
            family = GaugeMetricFamily(f"nemuri_host_{name}_wait_seconds", told, labels=["rank"])
            for rank, figures in waits.items():
                family.add_metric([rank], figures[nth])
            yield family
        yield CounterMetricFamily("nemuri_host_conflicts", "Conflicting changes of two modules.", value=now.conflicts)
        for name, told, value in (
            ("agents", "Agents on this host.", now.agents),
            ("waiting", "Modules that wait for a model call.", now.waiting),
            ("second", "The society's clock.", now.second),
            ("silence_seconds", "Longest time since an agent's last decision, in seconds.", now.silence),
            ("models_down", "1 if no model answers, else 0.", now.standing == "down"),
            ("thinking_paused", "1 if the budget is used and no module asks a model, else 0.", bool(now.paused)),
        ):
            yield GaugeMetricFamily(f"nemuri_host_{name}", told, value=float(value))


def process_registry() -> CollectorRegistry:
    """Return a new registry with the metrics that every process has: memory, CPU time and garbage collections."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


def _counter(name: str, told: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(f"nemuri_host_{name}", told, labels=[label])
    for key, count in counts.items():
        family.add_metric([key], count)
    return family


def _lateness(late: Mapping[str, Lateness]) -> Metric:
    told = "Lateness in seconds of module runs without a model."
    family = HistogramMetricFamily("nemuri_host_lateness_seconds", told, labels=["module"])
    for module, lateness in late.items():
        family.add_metric([module], _buckets(lateness), sum_value=None)
    return family


def _hearing(late: Lateness) -> Metric:
    told = "Seconds from the host's receipt of a percept until its agent processed it."
    return HistogramMetricFamily("nemuri_host_hearing_seconds", told, buckets=_buckets(late))


def _buckets(late: Lateness) -> list[tuple[str, float]]:
    """Return the upper bound of each bucket with the number of runs up to this bound."""
    return list(zip(LATENESS_BOUNDS, map(float, accumulate(late.counts)), strict=True))


def _spent(spent: Mapping[str, Mapping[str, TokenUse]]) -> Iterator[Metric]:
    calls = CounterMetricFamily("nemuri_host_model_calls", "Model replies, usable or not.", labels=["module", "model"])
    tokens = CounterMetricFamily(
        "nemuri_host_tokens", "Tokens as counted by the providers.", labels=["module", "model", "direction"]
    )
    retries = CounterMetricFamily("nemuri_host_model_retries", "Calls after a failure.", labels=["module", "model"])
    money = CounterMetricFamily("nemuri_host_money", "Price of calls by the price list.", labels=["module", "model"])
    for module, models in spent.items():
        for model, use in models.items():
            calls.add_metric([module, model], use.calls)
            retries.add_metric([module, model], use.retries)
            money.add_metric([module, model], use.money)
            tokens.add_metric([module, model, "input"], use.input_tokens)
            tokens.add_metric([module, model, "output"], use.output_tokens)
    yield from (calls, retries, tokens, money)


def _top_agents(spent: Mapping[str, TokenUse]) -> Iterator[Metric]:
    for name, told, field in (
        ("calls", "Model replies", "calls"),
        ("tokens", "Tokens", "tokens"),
        ("retries", "Calls after a failure", "retries"),
        ("money", "Price of calls", "money"),
    ):
        family = GaugeMetricFamily(
            f"nemuri_host_top_agent_{name}", f"{told} of the agents that used most tokens.", labels=["agent"]
        )
        for agent_id, use in spent.items():
            family.add_metric([agent_id], float(getattr(use, field)))
        yield family


def _paces(paces: Mapping[str, Pace]) -> Iterator[Metric]:
    late = CounterMetricFamily(
        "nemuri_host_late_intervals", "Intervals longer than document 002 allows.", labels=["module"]
    )
    told = "of modules that ask a model"
    interval = SummaryMetricFamily("nemuri_host_interval_seconds", f"Seconds between runs {told}.", labels=["module"])
    wait = SummaryMetricFamily("nemuri_host_wait_seconds", f"Seconds of waiting for a place {told}.", labels=["module"])
    answer = SummaryMetricFamily("nemuri_host_answer_seconds", f"Seconds until an answer {told}.", labels=["module"])
    for module, pace in paces.items():
        late.add_metric([module], pace.late)
        interval.add_metric([module], pace.runs, pace.interval_seconds)
        wait.add_metric([module], pace.requests, pace.wait_seconds)
        answer.add_metric([module], pace.answered, pace.answer_seconds)
    yield from (late, interval, wait, answer)


def _questions(waits: Mapping[str, Waits]) -> Metric:
    told = "Model requests: answered, failed, or shared with an identical request."
    family = CounterMetricFamily("nemuri_host_questions", told, labels=["rank", "outcome"])
    for rank, wait in waits.items():
        for outcome, count in (("answered", wait.answered), ("failed", wait.failed), ("shared", wait.shared)):
            family.add_metric([rank, outcome], count)
    return family
