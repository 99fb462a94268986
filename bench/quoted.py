"""The measured figures that the README and docs/measurements.md quote, with their goals."""

from collections.abc import Callable, Mapping
from typing import Any

from bench.figure import Figure
from bench.quoted_memory import ASSISTANT_FIGURES
from bench.scoreboard import THIRDS


def _over(*path: str) -> Callable[[Any], str]:
    """Return a function that gives our time divided by LangGraph's and by mem0's, in wall-clock and CPU time."""

    def text(result: Any) -> str:
        one = _at(result["ratios"], path)
        return "; ".join(f"{each['wall']:.2f}× / {each['cpu']:.2f}×" for each in one.values())

    return text


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


def _in_domains(result: Any) -> list[Mapping[str, Any]]:
    """Return the figures of routing in whole domains, by the number of judged tasks; those in Japanese without them."""
    found: list[Mapping[str, Any]] = result["measurements"]
    return [one for one in found if one["split"] == "domains"] or found


def _routed(result: Any) -> str:
    """Return the figures of routing and of both baselines, each for every number of judged tasks that has it."""
    names = ("right", "TF-IDF, regression", "role and 5 nearest", "asked outside", "asked inside")
    return "; ".join(
        " / ".join(f"{one[name]:.2f}" for one in _in_domains(result) if name in one)
        for name in names
        if any(name in one for one in _in_domains(result))
    )


def _routes(*goals: float) -> Callable[[Any], bool]:
    """Return whether routing with experience reaches these shares of right choices, and the goals of its questions."""

    def met(result: Any) -> bool:
        experienced = zip(_in_domains(result)[1:], goals, strict=False)
        return all(
            one["right"] >= goal and one["asked outside"] >= ASKED_OUTSIDE and one["asked inside"] <= ASKED_INSIDE
            for one, goal in experienced
        )

    return met


def _calibrated(result: Any) -> str:
    chosen, used = result["chosen"], result["in_force"]
    return "; ".join(f"{used[name]:g} ({chosen[name]:g})" for name in ("relevance", "use"))


def _calibrated_so(result: Any) -> bool:
    chosen, used = result["chosen"], result["in_force"]
    return bool(used["relevance"] <= chosen["relevance"] and used["use"] == chosen["use"])


def _saved(result: Any) -> str:
    """Return the shares of the tokens that are left, by rules for words and by a perfect judge, for each language."""

    def share(one: Any, state: str) -> str:
        return f"{one[state]['tokens'] / one['as told']['tokens']:.2f}"

    return "; ".join(
        f"{share(one, 'words')} / {share(one, 'all')} ({language})" for language, one in result["at"].items()
    )


def _saves_without_loss(result: Any) -> bool:
    return all(
        state["tokens"] < one["as told"]["tokens"]
        and state["recall"] >= one["as told"]["recall"]
        and not state["wrong"]
        for one in result["at"].values()
        for state in (one["words"], one["all"])
    )


def _grown(name: str) -> Callable[[Any], str]:
    return lambda result: " / ".join(f"{one['tasks_per_second']:.1f}" for one in result["at"][name]["workers"].values())


def _spent(result: Any) -> str:
    one = result["at"]["instant"]["workers"]["1"]
    servers = sum(one["cpu_ms_per_task_by_process"].get(name, 0.0) for name in ("postgres", "nats-server"))
    return f"{one['cpu_ms_per_task']:.0f} ms, {servers:.0f} of them in both servers"


def _held(figures: Any) -> str:
    """Return the smallest and the largest number of megabytes of the workers, without their fork server."""
    sizes = [value for name, value in figures.items() if name != "fork-server"]
    return f"{min(sizes):.0f} to {max(sizes):.0f} MB"


def _of_workers(result: Any) -> str:
    return f"{_held(result['at_first'])}; {_held(result['at_last'])}; {result['at_first']['fork-server']:.0f} MB"


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


def _remembered(run: Any) -> str:
    """Return the number of memories at the end, divided by their number at the first measurement, as a text."""
    return f"{run['memories']['at_last'] / run['memories']['settled']:.1f}×"


def _of_set(run: Any, module: str) -> float:
    """Return the achieved rate of a module divided by the maximum rate that its interval allows."""
    rate = run["runs_per_agent_second"][module]
    return float(rate["achieved"] / rate["set"])


def _answered(one: Any) -> str:
    """Return the share of answered questions, and that of the baseline, as a text."""
    return f"{one['answered']:.3f}; {one['bm25_units']:.3f}"


def _is_above_bm25(one: Any) -> bool:
    """Return True if more questions are answered than by BM25."""
    return bool(one["answered"] > one["bm25_units"])


def _a_million_in_time(result: Any) -> bool:
    """Return whether a million events were served again in time, by the rate of this log."""
    return bool(result["again"]["wall_s"] * result["goal_events"] / result["number"] <= result["goal_s"])


def _cost(what: str) -> Callable[[Any], str]:
    """Return a function that describes the cost of one task or of one memory, as named by `what`."""

    def text(result: Any) -> str:
        one = result[what]
        counts = f"{one['statements']:.0f} statements, {one['transactions']:.0f} transactions"
        return f"{counts}, {one['nats_messages']:.0f} messages, {one['events']:.0f} events; {one['median_ms']:.0f} ms"

    return text


ROUTED = (
    "routing among seven agents (CLINC150) after 0 / 10 / 30 judged tasks of each: right; TF-IDF with regression (10 / "
    "30); nearest role and five tasks; asked about out of scope; inside"
)
ROUTED_JA = (
    "7 エージェントへのルーティング(CLINC150、判定済み各 0 / 10 / 30 件):正解;TF-IDF と回帰(10 / 30);"
    "最も近い役割と 5 例;範囲外で尋ねた割合;範囲内で尋ねた割合"
)
ASKED_OUTSIDE, ASKED_INSIDE = 0.8, 0.1
SOCIETIES = "100 / 500 / 1,000 / 4,000 agents"
JUDGES = ("layered", "judge, extractive", "judge, recorded")
MINDS_GOAL_MS = 50
NEIGHBOURS = "LangGraph's PostgresStore; by mem0 on pgvector: wall / CPU"


def _slowest_page(one: Any) -> str:
    name, page = max(one["pages"].items(), key=lambda each: float(each[1]["median_ms"]))
    times = f"{page['median_ms']:.0f} ms, {page['p95_ms']:.0f} ms, {page['ratio_to_short_log']:.1f}×"
    return f"{name}, {one['events']:,} events: {times}"


FIGURES = (
    Figure(
        "recall@10, LoCoMo (English conversations)", "retrieval-locomo",
        lambda one: f"{one['recall']['turns']:.3f} of {one['questions']:,} questions",
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
        "questions about another agent's memories that find nothing, LoCoMo", "abstention-locomo",
        lambda one: f"{one['foreign_nothing']:.0%}",
    ),
    Figure(
        "the same, JSQuAD", "abstention-jsquad", lambda one: f"{one['foreign_nothing']:.0%}",
    ),
    Figure(
        "questions answered from the right turn of a long conversation, LoCoMo; by BM25 over turns", "document_facts",
        lambda one: _answered(one["conversation en"]["unseen"]),
        "more than BM25", lambda one: _is_above_bm25(one["conversation en"]["unseen"]),
    ),
    Figure(
        "the same from the right paragraph of a long article, JSQuAD; by BM25 over paragraphs", "document_facts",
        lambda one: _answered(one["one subject ja"]["unseen"]),
    ),
    Figure(
        "the same from the right entry of a report on one subject, English / Japanese", "document_facts",
        lambda one: " / ".join(f"{one[f'reports {each}']['unseen']['answered']:.3f}" for each in ("en", "ja")),
    ),
    Figure(
        "planted facts that reach a summary without a language model, by third: English / Japanese", "overviews",
        lambda one: " / ".join(f"{one[f'{each}_overview_{third}']:.2f}" for each in ("en", "ja") for third in THIRDS),
    ),
    Figure(
        "items found in documents that tuned nothing, recall / precision", "items",
        lambda one: f"{one['recall_unseen']:.2f} / {one['precision_unseen']:.2f}",
    ),
    Figure(
        "tokens of a context with semantic memories by words / by a perfect judge, share of those without", "meaning",
        _saved, "less, with no wrong merge and the same recall@10", _saves_without_loss,
    ),
    Figure(
        f"{ROUTED}, built-in vectors", "routing-hashing", _routed,
        ".75 / .84; .8 out of scope, .1 inside", _routes(0.75, 0.84),
        headline=(f"{ROUTED}, built-in vectors", f"{ROUTED_JA}、内蔵ベクトル"),
    ),
    Figure(
        f"{ROUTED}, MiniLM", "routing-semantic", _routed,
        ".80 / .92; .8 out of scope, .1 inside", _routes(0.80, 0.92),
        headline=(f"{ROUTED}, MiniLM", f"{ROUTED_JA}、MiniLM"),
    ),
    Figure(
        "thresholds of the built-in embedder in force, and in brackets by the data: relevance, at most; use",
        "calibration-hashing", _calibrated, "as by the data", _calibrated_so,
    ),
    Figure(
        "the same, MiniLM", "calibration-semantic", _calibrated, "as by the data", _calibrated_so,
    ),
    Figure(
        "detection of use on hand-written answers, F1: default / judge without / with a language model", "attribution",
        lambda one: " / ".join(f"{one['f1'][each]:.3f}" for each in JUDGES),
    ),
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
    Figure("cost of one task of a client alone; median time to its answer", "cost", _cost("task")),
    Figure("cost of one memory of a client alone; median time until it is stored", "cost", _cost("memory")),
    *ASSISTANT_FIGURES,
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
        "valence of the user's feeling read by the lexicon, on 520 turns labelled apart, English / Japanese; turns"
        " without a feeling; clear or strong feelings; always `neutral`", "feelings",
        lambda one: "; ".join(
            f"{one['en'][name]:.2f} / {one['ja'][name]:.2f}" for name in ("valence", "calm", "felt", "always_neutral")
        ),
    ),
    Figure(
        "slowest page of the window on a long log: median, p95, divided by its median on a log of 1,000 events",
        "window", _slowest_page,
    ),
)  # fmt: skip
