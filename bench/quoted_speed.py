"""The measured figures of speed and cost: recalls, sleep, rebuilds, tasks and memories."""

from collections.abc import Callable
from typing import Any, Final

from bench.figure import Figure, at

MINDS_GOAL_MS = 50
NEIGHBOURS = "LangGraph's PostgresStore; by mem0 on pgvector: wall / CPU"


def _over(*path: str) -> Callable[[Any], str]:
    """Return a function that gives our time divided by LangGraph's and by mem0's, in wall-clock and CPU time."""

    def text(result: Any) -> str:
        one = at(result["ratios"], path)
        return "; ".join(f"{each['wall']:.2f}× / {each['cpu']:.2f}×" for each in one.values())

    return text


def _ahead(*path: str) -> Callable[[Any], bool]:
    return lambda result: all(each["wall"] < result["goal"] for each in at(result["ratios"], path).values())


def _recalled(result: Any) -> str:
    at, both = result["at"], ("ours", "langgraph", "mem0")
    return "; ".join(
        " / ".join(f"{one['recall'][name]['wall_ms']:.1f}" for name in both) + f" ms at {int(size):,}"
        for size, one in at.items()
    )


def _a_million_in_time(result: Any) -> bool:
    """Return whether a million events were served again in time, by the rate of this log."""
    return bool(result["again"]["wall_s"] * result["goal_events"] / result["number"] <= result["goal_s"])


def _grown(name: str) -> Callable[[Any], str]:
    return lambda result: " / ".join(f"{one['tasks_per_second']:.1f}" for one in result["at"][name]["workers"].values())


def _spent(result: Any) -> str:
    one = result["at"]["instant"]["workers"]["1"]
    servers = sum(one["cpu_ms_per_task_by_process"].get(name, 0.0) for name in ("postgres", "nats-server"))
    return f"{one['cpu_ms_per_task']:.0f} ms, {servers:.0f} of them in both servers"


def _cost(what: str) -> Callable[[Any], str]:
    """Return a function that describes the cost of one task or of one memory, as named by `what`."""

    def text(result: Any) -> str:
        one = result[what]
        counts = f"{one['statements']:.0f} statements, {one['transactions']:.0f} transactions"
        return f"{counts}, {one['nats_messages']:.0f} messages, {one['events']:.0f} events; {one['median_ms']:.0f} ms"

    return text


def _starts(result: Any) -> tuple[float, ...]:
    """Return the milliseconds in which the program says its version, its help, and the help of a command."""
    return tuple(result["wall_ms"][name] for name in ("version", "help", "ask --help"))


def _started(result: Any) -> str:
    return f"{' / '.join(f'{each:.0f}' for each in _starts(result))} ms; {result['wall_ms']['python']:.0f} ms"


SPEED_FIGURES: Final = (
    Figure(
        "one recall among 10,000 memories, embedding excluded: CPU time; cold start; memory use", "warm-jsquad",
        lambda one: f"{one['recall_ms']:.1f} ms of CPU; {one['cold_s']:.1f} s; {one['kilobytes_each']:.1f} kB each",
    ),
    Figure(
        "time of one sleep with 1,000,000 memories / with 1,000: wall / CPU", "sleep",
        lambda one: f"{one['large_over_small']['wall']:.2f}× / {one['large_over_small']['cpu']:.2f}×",
        "within 1.5×", lambda one: max(one["large_over_small"].values()) <= one["goal"],
    ),
    Figure(
        "CPU time of vector search / of a numpy product and selection, 10,000 memories of 384 dimensions", "vectors",
        lambda one: f"{one['channel_over_limit']['cpu']:.2f}×",
        "within 3×", lambda one: bool(one["channel_over_limit"]["cpu"] <= one["goal"]),
    ),
    Figure(
        "median time to recall ten memories: ours / LangGraph / mem0, same vectors", "neighbours", _recalled,
    ),
    Figure(
        f"the same among 1,000 memories, ours divided by {NEIGHBOURS}", "neighbours", _over("1000", "recall"),
        "faster than both", _ahead("1000", "recall"), "1000",
    ),
    Figure(
        f"the same among 10,000 memories, ours divided by {NEIGHBOURS}", "neighbours", _over("10000", "recall"),
        "faster than both", _ahead("10000", "recall"), "10000",
        headline=(
            "time of one recall among 10,000 memories, divided by LangGraph's PostgresStore; by mem0: wall / CPU",
            "1 万件からの検索 1 回の時間 ÷ LangGraph の PostgresStore;÷ pgvector 上の mem0(実時間 / CPU)",
        ),
    ),
    Figure(
        "the same among 1,000 memories, by a client over the bus", "neighbours", _over("1000", "recall_over_the_bus"),
        size="1000",
    ),
    Figure(
        "the same among 10,000 memories, by a client over the bus", "neighbours", _over("10000", "recall_over_the_bus"),
        size="10000",
    ),
    Figure(
        f"time to add a memory until it can be recalled, at 1,000 memories, ours divided by {NEIGHBOURS}", "neighbours",
        _over("1000", "add_one_by_one"), size="1000",
    ),
    Figure(
        f"time to add a memory until it can be recalled, at 10,000 memories, ours divided by {NEIGHBOURS}",
        "neighbours", _over("10000", "add_one_by_one"), size="10000",
    ),
    Figure(f"time to add memories in bulk, ours divided by {NEIGHBOURS}", "neighbours", _over("add_in_bulk")),
    Figure(
        "one recall of 1,000 agents with 10,000 memories each, at skewed load in 4 GiB: median; p95; share of recalls "
        "whose index was in memory", "minds",
        lambda one: f"{one['recall_ms']:.0f} ms; {one['recall_p95_ms']:.0f} ms; {one['cached_share']:.0%}",
        "p95 of 50 ms", lambda one: bool(one["recall_p95_ms"] <= MINDS_GOAL_MS),
        headline=(
            "one recall of 1,000 agents with 10,000 memories each, in 4 GiB: median; p95; indexes in memory",
            "1 万件ずつ記憶する 1,000 エージェントの検索 1 回、4 GiB:中央値; p95; メモリー上の索引の割合",
        ),
    ),
    Figure(
        "one recall for one of 100,000 persons of an agent with 1,000,000 memories: p95 for a person who is new in the "
        "process; again", "persons",
        lambda one: f"{one['new_p95_ms']:.0f} ms; {one['again_p95_ms']:.0f} ms",
        "p95 of 50 ms", lambda one: bool(one["new_p95_ms"] <= MINDS_GOAL_MS),
    ),
    Figure(
        "events per second of CPU time: rebuild of all tables / reading and decoding", "rebuild",
        lambda one: f"{one['rebuild_over_events']['cpu']:.2f}×",
        "more than half", lambda one: bool(one["rebuild_over_events"]["cpu"] > one["goal_over_events"]),
        headline=(
            "speed of a rebuild of all tables, divided by only reading and decoding the events",
            "全テーブル再構築の速さ ÷ イベントの読み出しと復号だけの速さ",
        ),
    ),
    Figure(
        "events per second of CPU time: rebuild of all tables / replay in memory by `eventsourcing`", "rebuild",
        lambda one: f"{one['rebuild_over_eventsourcing']['cpu']:.2f}×",
    ),
    Figure(
        "lost database: time until the whole log is served again, from a snapshot / from the first event", "snapshot",
        lambda one: f"{one['again']['wall_s']:.0f} s / {one['start']['wall_s']:.0f} s for {one['number']:,} events",
        "a million within a minute", _a_million_in_time,
    ),
    Figure(
        "snapshot: CPU time to make it / to fold its events; size / size of the log", "snapshot",
        lambda one: (
            f"{one['snapshot']['cpu_s'] / one['start']['cpu_s'] * one['number'] / one['covered']:.2f}×; "
            f"{one['bytes']['snapshot'] / one['bytes']['log']:.2f}×"
        ),
    ),
    Figure(
        "archived log: size of the files / of the stream before; CPU time to read it from the files / from the stream",
        "retention",
        lambda one: f"{one['archive_over_stream']:.2f}×; {one['read_archive_over_stream_cpu']:.2f}×",
    ),
    Figure(
        "tasks per second from submission to sleep, two cores, model without delay: 1 / 2 / 4 workers", "throughput",
        _grown("instant"), size="instant",
    ),
    Figure("the same, model that takes two seconds", "throughput", _grown("slow"), size="slow"),
    Figure(
        "CPU time of the platform for one task, model excluded", "throughput", _spent, size="instant",
        headline=(
            "CPU time of the platform for one task, model excluded",
            "タスク 1 件あたりのプラットフォームの CPU 時間(モデルを除く)",
        ),
    ),
    Figure(
        "median time of `nemuri --version` / `--help` / `ask --help`; of `python -c pass`", "start", _started,
        "within 300 ms", lambda one: bool(max(_starts(one)) <= one["goal_ms"]),
    ),
    Figure("cost of one task of a client alone; median time to its answer", "cost", _cost("task")),
    Figure("cost of one memory of a client alone; median time until it is stored", "cost", _cost("memory")),
)  # fmt: skip
