"""The measured figures of a platform under load: long documents, societies, workers and the window."""

from collections.abc import Callable
from typing import Any, Final

from bench.figure import Figure

SOCIETIES = "100 / 500 / 1,000 / 4,000 agents"


def _each(result: Any, text: Callable[[Any], str]) -> str:
    """Return the figure that `text` gives for each number of agents, separated by slashes."""
    return " / ".join(map(text, result["at"].values()))


def _society(result: Any, met: Callable[[Any, Any], bool]) -> bool:
    """Return True if the run with a thousand agents meets its goal, as decided by `met`."""
    return bool(met(result["at"]["1000"], result["goals_at_1000"]))


def _rates(run: Any) -> str:
    """Return each module's runs per agent and second, and the maximum that its interval allows, as a text."""
    rates = run["runs_per_agent_second"].items()
    return ", ".join(f"{name} {rate['achieved']:.2f} of {rate['set']:g}" for name, rate in rates)


def _kept(result: Any, model: str) -> str:
    """Return the share of intervals of document 002 that were kept, with each number of agents."""
    runs = [run for name, run in result["at"].items() if name.endswith(f" {model}")]
    return " / ".join(f"{1 - _late(run):.1%}" for run in runs)


def _late(run: Any) -> float:
    """Return the share of intervals of a run that were longer than document 002 allows."""
    modules = run["modules"].values()
    return float(sum(one["too_long"] * one["runs"] for one in modules) / max(1, sum(one["runs"] for one in modules)))


def _longest(result: Any, module: str) -> str:
    return " / ".join(f"{run['modules'][module]['longest_interval_s']:.1f} s" for run in result["at"].values())


def _remembered(run: Any) -> str:
    """Return the number of memories at the end, divided by their number at the first measurement, as a text."""
    return f"{run['memories']['at_last'] / run['memories']['settled']:.1f}×"


def _of_set(run: Any, module: str) -> float:
    """Return the achieved rate of a module divided by the maximum rate that its interval allows."""
    rate = run["runs_per_agent_second"][module]
    return float(rate["achieved"] / rate["set"])


def _conversation(result: Any) -> str:
    """Return the calls, tokens and seconds of a conversation with a model, and its seconds without one."""
    one, alone = result["one call a stretch"], result["no model"]
    calls = f"{one['calls to read']} calls to read, {one['calls to judge']} to judge"
    tokens = f"{one['input_tokens']:,} + {one['output_tokens']:,} tokens"
    return f"{calls}, {tokens}, {one['seconds']:.2f} s; without a model {alone['seconds']:.2f} s"


def _few_calls(result: Any) -> bool:
    """Return True if the calls of a conversation are at most two a stretch to read and one to judge."""
    one = result["one call a stretch"]
    return bool(one["calls to read"] <= 2 * one["stretches"] and one["calls to judge"] <= one["stretches"])


def _held(figures: Any) -> str:
    """Return the smallest and the largest number of megabytes of the workers, without their fork server."""
    sizes = [value for name, value in figures.items() if name != "fork-server"]
    return f"{min(sizes):.0f} to {max(sizes):.0f} MB"


def _of_workers(result: Any) -> str:
    return f"{_held(result['at_first'])}; {_held(result['at_last'])}; {result['at_first']['fork-server']:.0f} MB"


def _slowest_page(one: Any) -> str:
    name, page = max(one["pages"].items(), key=lambda each: float(each[1]["median_ms"]))
    times = f"{page['median_ms']:.0f} ms, {page['p95_ms']:.0f} ms, {page['ratio_to_short_log']:.1f}×"
    return f"{name}, {one['events']:,} events: {times}"


LOAD_FIGURES: Final = (
    Figure(
        "time to answer about a document of 5 MB / of 1 MB; delay of another client's question meanwhile, "
        "median (maximum), 250 kB / 1 MB / 5 MB", "documents",
        lambda one: f"{one['growth']:.1f}×; " + " / ".join(
            f"{each['question_ratio']:.1f}× ({each['question_ratio_max']:.1f}×)" for each in one["at"].values()
        ), size="5000",
    ),
    Figure(
        "cores used by the grid world at 4 Hz, all agents moving: 50 / 1,000 / 4,000 agents", "world",
        lambda one: " / ".join(f"{each['cores']:.2f}" for each in one["at"].values()),
        "half a core at 1,000", lambda one: bool(one["at"]["1000"]["cores"] <= one["goal_cores_at_1000"]),
    ),
    Figure(
        "the same, agent steps per second of CPU time, packing of percepts included", "world",
        lambda one: " / ".join(f"{each['agent_steps_per_second']:,}" for each in one["at"].values()),
    ),
    Figure(
        "societies of 10 / 25 / 50 agents on defaults, a model of 2.5 s: intervals of controller, goals, planning and"
        " reflection that are as short as document 002 wants; scripted; over the wire", "society_pace",
        lambda one: f"{_kept(one, 'scripted')}; {_kept(one, 'wire')}", "all of them",
        lambda one: all(_late(run) == 0 for run in one["at"].values()),
    ),
    Figure(
        "the same, longest interval of planning, scripted and over the wire", "society_pace",
        lambda one: _longest(one, "planning"), "10 s",
        lambda one: all(run["modules"]["planning"]["longest_interval_s"] <= 10 for run in one["at"].values()),
    ),
    Figure(
        "record of a society of 1,000 agents, 200 concurrent requests to a model of 1.5 s: events and kilobytes per"
        " second; cores for them; their share of the processor time of agents and world", "society_record",
        lambda one: f"{one['of_1000_agents']['events_per_second']:.0f}, "
        f"{one['of_1000_agents']['kilobytes_per_second']:.0f} kB; {one['of_1000_agents']['cores']:.3f}; "
        f"{one['share_of_cpu']:.1%}", "at most 5 %", lambda one: bool(one["share_of_cpu"] <= 0.05),
    ),
    Figure(
        "societies with nine modules per agent, 200 concurrent requests to a model of 1.5 s: runs of modules without a"
        f" model that start at most 50 ms late, {SOCIETIES}", "society",
        lambda one: _each(one, lambda run: f"{run['within_50_ms']:.1%}")
        + "; in runs of " + _each(one, lambda run: f"{run['seconds']:.0f} s"),
        "99 % at 1,000", lambda one: _society(one, lambda run, goals: run["within_50_ms"] >= goals["within_50_ms"]),
        "1000",
    ),
    Figure(
        "the same, answers per second / capacity of the model", "society",
        lambda one: _each(one, lambda run: f"{run['answers_per_second'] / one['model']['answers_per_second']:.0%}"),
        size="1000",
    ),
    Figure(
        "the same, rate of the controller / its maximum rate; longest time of an agent without a decision", "society",
        lambda one: _each(one, lambda run: f"{_of_set(run, 'cognitive_controller'):.0%}")
        + "; " + _each(one, lambda run: f"{run['silence_s']:.0f} s"), size="1000",
    ),
    Figure(
        "the same at 1,000, runs per second and agent of each module, achieved of maximum", "society",
        lambda one: _rates(one["at"]["1000"]), size="1000",
    ),
    Figure(
        "the same, mean waiting time for the model: slowest agent / all agents", "society",
        lambda one: _each(one, lambda run: f"{run['waits']['together']['unfairness']:.2f}×"),
        "within 2× at 1,000",
        lambda one: _society(one, lambda run, goals: run["waits"]["together"]["unfairness"] <= goals["unfairness"]),
        "1000",
    ),
    Figure(
        "the same, cores used by all hosts + world + NATS server", "society",
        lambda one: _each(one, lambda run: " + ".join(f"{each:.2f}" for each in run["cores"].values())), size="1000",
    ),
    Figure(
        "the same, memory use of the hosts at the end / after a quarter of the run, at most a minute; number of the"
        " agents' memories likewise", "society",
        lambda one: _each(one, lambda run: f"{run['growth']:.2f}×") + "; " + _each(one, _remembered),
        "within 1.1× at 1,000", lambda one: _society(one, lambda run, goals: run["growth"] <= goals["growth"]), "1000",
    ),
    Figure(
        "memory (PSS) of each worker of `nemuri up --processes` at the start; after 100 tasks; of their fork server",
        "worker_memory", _of_workers, "at most 60 MB", lambda one: max(one["at_first"].values()) <= 60,
    ),
    Figure(
        "resident memory of a worker that is started alone, of which it shares nothing", "worker_memory",
        lambda one: _held(one["alone"]),
    ),
    Figure(
        "CPU time of a platform that is watched (overview and live log open), divided by that of one that is not",
        "window",
        lambda one: f"{one['watching']['watched_to_alone']:.2f}×", "less than 1.05×",
        lambda one: one["watching"]["watched_to_alone"] < 1.05,
    ),
    Figure(
        "slowest page of the window on a long log: median, p95, divided by its median on a log of 1,000 events",
        "window", _slowest_page,
    ),
    Figure(
        "a conversation of 10,000 characters, with a stand-in for the model", "conversation_cost", _conversation,
        "at most two calls a stretch and one a batch of judgements", _few_calls,
    ),
)  # fmt: skip
