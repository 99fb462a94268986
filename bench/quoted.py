"""The measured figures that the README and docs/measurements.md quote, with their goals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Results = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the table of figures."""

    what: str
    script: str
    """Name of the script's saved JSON result."""
    said: Callable[[Any], str]
    """Function from the JSON result to the text of the figure."""
    goal: str = ""
    met: Callable[[Any], bool] | None = None
    size: str | None = None
    """Size or model in the result that the figure is about; the figure is left out if the result lacks it. None for
    none.
    """
    headline: tuple[str, str] | None = None
    """Labels in README.md and in README.ja.md; None if only docs/measurements.md has the figure."""


def _over(*path: str) -> Callable[[Any], str]:
    """Return a function that gives the ratios of our times to LangGraph's and to mem0's, each by wall time and by CPU
    time.
    """

    def said(result: Any) -> str:
        one = _at(result["ratios"], path)
        return "; ".join(f"{each['wall']:.2f}× / {each['cpu']:.2f}×" for each in one.values())

    return said


def _ahead(*path: str) -> Callable[[Any], bool]:
    return lambda result: all(each["wall"] < result["goal"] for each in _at(result["ratios"], path).values())


def _at(found: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        found = found[key]
    return found


def _recalled(result: Any) -> str:
    at, both = result["at"], ("ours", "langgraph", "mem0")
    return "; ".join(
        " / ".join(f"{one['recall'][name]['wall_ms']:.1f}" for name in both) + f" ms at {int(size):,}"
        for size, one in at.items()
    )


def _grown(name: str) -> Callable[[Any], str]:
    return lambda result: " / ".join(f"{one['tasks_per_second']:.1f}" for one in result["at"][name]["workers"].values())


def _spent(result: Any) -> str:
    one = result["at"]["instant"]["workers"]["1"]
    servers = sum(one["cpu_ms_per_task_by_process"].get(name, 0.0) for name in ("postgres", "nats-server"))
    return f"{one['cpu_ms_per_task']:.0f} ms, {servers:.0f} of them in both servers"


def _held(result: Any) -> str:
    servers = ("postgres", "nats-server")
    ends = [
        [value for name, value in result["at"]["instant"]["megabytes"][when].items() if name not in servers]
        for when in ("at_first", "at_last")
    ]
    return "; ".join(f"{min(each):.0f} to {max(each):.0f} MB" for each in ends)


def _each(result: Any, said: Callable[[Any], str]) -> str:
    """Return the figure `said` for each number of agents, separated by slashes."""
    return " / ".join(map(said, result["at"].values()))


def _society(result: Any, met: Callable[[Any, Any], bool]) -> bool:
    """Return True if the run with a thousand agents meets a goal."""
    return bool(met(result["at"]["1000"], result["goals_at_1000"]))


def _rates(run: Any) -> str:
    """Return the runs of each module per agent and second: achieved, and the maximum that its interval allows."""
    rates = run["runs_per_agent_second"].items()
    return ", ".join(f"{name} {rate['achieved']:.2f} of {rate['set']:g}" for name, rate in rates)


def _remembered(run: Any) -> str:
    """Return the number of the agents' memories at the end, divided by their number at the first measurement."""
    return f"{run['memories']['at_last'] / run['memories']['settled']:.1f}×"


def _of_set(run: Any, module: str) -> float:
    """Return a module's achieved rate divided by the maximum rate that its interval allows."""
    rate = run["runs_per_agent_second"][module]
    return float(rate["achieved"] / rate["set"])


SOCIETIES = "100 / 500 / 1,000 / 4,000 agents"
JUDGES = ("layered", "judge, extractive", "judge, recorded")
NEIGHBOURS = "LangGraph's PostgresStore; mem0 on pgvector, wall / CPU"
FIGURES = (
    Figure(
        "recall@10, LoCoMo (English conversations)", "retrieval-locomo",
        lambda one: f"{one['recall']['both']:.3f} of {one['questions']:,} questions",
        headline=(
            "recall@10 without a language model, LoCoMo (English conversations)",
            "言語モデルなしの recall@10、LoCoMo(英語の会話)",
        ),
    ),
    Figure(
        "recall@10, JSQuAD (Japanese paragraphs)", "retrieval-jsquad",
        lambda one: f"{one['recall']['both']:.3f} of {one['questions']:,} questions",
        headline=(
            "recall@10 without a language model, JSQuAD (Japanese paragraphs)",
            "言語モデルなしの recall@10、JSQuAD(日本語の段落)",
        ),
    ),
    Figure(
        "questions on what somebody else remembers that find nothing, LoCoMo", "abstention-locomo",
        lambda one: f"{one['foreign_nothing']:.0%}",
    ),
    Figure(
        "the same, JSQuAD", "abstention-jsquad", lambda one: f"{one['foreign_nothing']:.0%}",
    ),
    Figure(
        "recognising use on hand-written answers, F1: default / judge without / with a language model", "attribution",
        lambda one: " / ".join(f"{one['f1'][each]:.3f}" for each in JUDGES),
    ),
    Figure(
        "one recall among 10,000 memories, both stages, beyond the embedding; the first one; memory", "warm-jsquad",
        lambda one: f"{one['recall_ms']:.1f} ms of CPU; {one['cold_s']:.1f} s; {one['kilobytes_each']:.1f} kB each",
    ),
    Figure(
        "one sleep with 1,000,000 memories over one with 1,000, wall / CPU", "sleep",
        lambda one: f"{one['large_over_small']['wall']:.2f}× / {one['large_over_small']['cpu']:.2f}×",
        "within 1.5×", lambda one: max(one["large_over_small"].values()) <= one["goal"],
        headline=(
            "time of one sleep with 1,000,000 memories, divided by one with 1,000: wall / CPU",
            "100 万件の記憶での睡眠 1 回の時間 ÷ 1,000 件での時間(実時間 / CPU)",
        ),
    ),
    Figure(
        "the vector channel at 10,000 memories of 384 dimensions over numpy's limit, CPU", "vectors",
        lambda one: f"{one['channel_over_limit']['cpu']:.2f}×",
        "within 3×", lambda one: bool(one["channel_over_limit"]["cpu"] <= one["goal"]),
    ),
    Figure(
        "recall of ten by both channels, median: ours / LangGraph / mem0, the same vectors", "neighbours", _recalled,
    ),
    Figure(
        f"the same at 1,000, ours over {NEIGHBOURS}", "neighbours", _over("1000", "recall"),
        "ahead of both", _ahead("1000", "recall"), "1000",
    ),
    Figure(
        f"the same at 10,000, ours over {NEIGHBOURS}", "neighbours", _over("10000", "recall"),
        "ahead of both", _ahead("10000", "recall"), "10000",
        headline=(
            "time of one recall among 10,000 memories over LangGraph's PostgresStore; over mem0, wall / CPU",
            "1 万件からの検索 1 回の時間 ÷ LangGraph の PostgresStore;÷ pgvector 上の mem0(実時間 / CPU)",
        ),
    ),
    Figure(
        "the same at 1,000, asked over the bus by a client", "neighbours", _over("1000", "recall_over_the_bus"),
        size="1000",
    ),
    Figure(
        "the same at 10,000, asked over the bus by a client", "neighbours", _over("10000", "recall_over_the_bus"),
        size="10000",
    ),
    Figure(
        f"adding one by one at 1,000, until it can be recalled, ours over {NEIGHBOURS}", "neighbours",
        _over("1000", "add_one_by_one"), size="1000",
    ),
    Figure(
        f"adding one by one at 10,000, until it can be recalled, ours over {NEIGHBOURS}", "neighbours",
        _over("10000", "add_one_by_one"), size="10000",
    ),
    Figure(f"adding in bulk, ours over {NEIGHBOURS}", "neighbours", _over("add_in_bulk")),
    Figure(
        "a rebuild over reading the same events decoded, events per second of CPU", "rebuild",
        lambda one: f"{one['rebuild_over_events']['cpu']:.2f}×",
        "over half", lambda one: bool(one["rebuild_over_events"]["cpu"] > one["goal_over_events"]),
        headline=(
            "speed of a rebuild of all tables, divided by only reading and decoding the events",
            "全テーブル再構築の速さ ÷ イベントの読み出しと復号だけの速さ",
        ),
    ),
    Figure(
        "a rebuild over a replay in memory by `eventsourcing` on PostgreSQL, CPU", "rebuild",
        lambda one: f"{one['rebuild_over_eventsourcing']['cpu']:.2f}×",
    ),
    Figure(
        "tasks a second, submission to sleep, two cores, instant model: 1 / 2 / 4 workers", "throughput",
        _grown("instant"), size="instant",
    ),
    Figure("the same with a model of two seconds", "throughput", _grown("slow"), size="slow"),
    Figure(
        "platform milliseconds of CPU for each task", "throughput", _spent, size="instant",
        headline=(
            "CPU time of the platform for one task, model excluded",
            "タスク 1 件あたりのプラットフォームの CPU 時間(モデルを除く)",
        ),
    ),
    Figure(
        "a prompt's hook as a process among 10,000 affective memories, p95; a bare interpreter", "hook",
        lambda one: f"{one['hook_ms']['p95']:.0f} ms; {one['interpreter_ms']['p95']:.0f} ms",
        "150 ms", lambda one: bool(one["hook_ms"]["p95"] <= one["goal_p95_ms"]),
    ),
    Figure(
        "asking about a document of 5 MB over one of 1 MB; a question of another client meanwhile over the same alone, "
        "median (longest), 250 kB / 1 MB / 5 MB", "documents",
        lambda one: f"{one['growth']:.1f}×; " + " / ".join(
            f"{each['question_ratio']:.1f}× ({each['question_ratio_max']:.1f}×)" for each in one["at"].values()
        ), size="5000",
    ),
    Figure(
        "the grid world at 4 Hz, everybody on the move, cores: 50 / 1,000 / 4,000 agents", "world",
        lambda one: " / ".join(f"{each['cores']:.2f}" for each in one["at"].values()),
        "half a core at 1,000", lambda one: bool(one["at"]["1000"]["cores"] <= one["goal_cores_at_1000"]),
    ),
    Figure(
        "the same, steps of agents in a second of a core, percepts as messages included", "world",
        lambda one: " / ".join(f"{each['agent_steps_per_second']:,}" for each in one["at"].values()),
    ),
    Figure(
        "societies with nine modules each, 200 questions at once to a model of 1.5 s: runs of modules without a model"
        f" that begin within 50 ms of their time, {SOCIETIES}", "society",
        lambda one: _each(one, lambda run: f"{run['within_50_ms']:.1%}")
        + "; in runs of " + _each(one, lambda run: f"{run['seconds']:.0f} s"),
        "99 % at 1,000", lambda one: _society(one, lambda run, goals: run["within_50_ms"] >= goals["within_50_ms"]),
        "1000",
    ),
    Figure(
        "the same, answers of the model in a second over what it can give", "society",
        lambda one: _each(one, lambda run: f"{run['answers_per_second'] / one['model']['answers_per_second']:.0%}"),
        size="1000",
    ),
    Figure(
        "the same, the controller's runs over those of its shortest interval; an agent's longest silence", "society",
        lambda one: _each(one, lambda run: f"{_of_set(run, 'cognitive_controller'):.0%}")
        + "; " + _each(one, lambda run: f"{run['silence_s']:.0f} s"), size="1000",
    ),
    Figure(
        "the same at 1,000, an agent's runs in a second, achieved of what its module is set to at most", "society",
        lambda one: _rates(one["at"]["1000"]), size="1000",
    ),
    Figure(
        "the same, the mean wait of the agent that waits longest for the model over that of all", "society",
        lambda one: _each(one, lambda run: f"{run['waits']['together']['unfairness']:.2f}×"),
        "within 2× at 1,000",
        lambda one: _society(one, lambda run, goals: run["waits"]["together"]["unfairness"] <= goals["unfairness"]),
        "1000",
    ),
    Figure(
        "the same, cores of all hosts + world + NATS server", "society",
        lambda one: _each(one, lambda run: " + ".join(f"{each:.2f}" for each in run["cores"].values())), size="1000",
    ),
    Figure(
        "the same, memory of the hosts in the end over that after a quarter, a minute at most; what agents remember,"
        " likewise", "society",
        lambda one: _each(one, lambda run: f"{run['growth']:.2f}×") + "; " + _each(one, _remembered),
        "within 1.1× at 1,000", lambda one: _society(one, lambda run, goals: run["growth"] <= goals["growth"]), "1000",
    ),
    Figure("memory of each service's process at first; at last (PSS)", "throughput", _held, size="instant"),
)  # fmt: skip
