"""`nemuri eval`: benchmarks from files, with their figures as JSON and as a page; wrong use is refused in one line."""

import json
import signal
from pathlib import Path

import pytest

from nemuri.evaluation.benchmarks import read_benchmark
from tests.condition_waits import PATIENCE
from tests.e2e.conftest import environment
from tests.e2e.forking import exit_code, fork, run_command, run_forked
from tests.e2e.tutorials import until
from tests.unit.client.evaluation.samples import LOCOMO, written

KILLED_AFTER = 40
"""Number of results after which a run is killed."""
WRONG_USE = [
    (("eval", "nosuch"), "nosuch"),
    (("eval", "locomo"), "evaluate.md"),
    (("eval", "locomo", "missing.json"), "missing.json"),
    (("eval", "beam", "locomo.json"), "locomo.json"),
    (("eval", "locomo", "locomo.json", "--only", "hard"), "single-hop"),
    (("eval", "locomo", "locomo.json", "--arm", "magic"), "bm25"),
    (("eval", "locomo", "locomo.json", "--judge", "openai:x"), "--reader"),
    (("eval", "locomo", "locomo.json", "--reader", "openai:x"), "openai_api_key"),
    (("eval", "locomo", "locomo.json", "--top", "51"), "--top"),
    (("eval", "locomo", "locomo.json", "--out", "locomo.json"), "--out"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a small file in the format of LoCoMo."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "locomo.json", LOCOMO)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_wrong_use_is_refused() -> None:
    """Wrong arguments and files are refused with exit code 2, and one line that names them."""
    for done, (_, named) in zip(
        run_forked([arguments for arguments, _ in WRONG_USE], environment()), WRONG_USE, strict=True
    ):
        assert (done.code, done.out) == (2, ""), done
        assert named in done.err, done
        assert done.err.count("\n") == 1, done


def test_a_benchmark_is_evaluated(folder: Path) -> None:
    """A run prints its figures and writes them and a page; the second call asks nothing and prints the same."""
    commands = [("eval", "locomo", "locomo.json", "--json"), ("eval", "locomo", "locomo.json")]
    [first], [shown] = (run_forked([command], environment()) for command in commands)
    assert (first.code, shown.code) == (0, 0), (first, shown)
    figures = json.loads(first.out)
    [memory] = [row for row in figures["figures"] if (row["arm"], row["kind"]) == ("memory", "single-hop")]
    assert memory["evidence"]["1000 tokens"]["mean"] == 1.0
    assert "single-hop" in shown.out
    assert (folder / "evaluation" / "locomo" / "report.html").exists()
    [other] = run_forked([("eval", "locomo", "locomo.json", "--seed", "2")], environment())
    assert (other.code, "seed" in other.err) == (2, True), other


@pytest.mark.usefixtures("folder")
def test_the_costs_of_a_run_are_estimated() -> None:
    """Calls, tokens and money are printed before anything is asked; without prices there is no money."""
    prices = environment(NEMURI_MODEL_PRICES='{"x": {"input": 2, "output": 4}}', OPENAI_API_KEY="sk-none")
    command = ("eval", "locomo", "locomo.json", "--estimate", "--json", "--reader", "openai:x", "--learner", "openai:y")
    [done] = run_forked([command], prices)
    assert done.code == 0, done
    rows = {(row["role"], row["arm"]): row for row in json.loads(done.out)}
    assert rows["learner", "memory"]["calls"] == 4
    assert rows["learner", "memory"]["money"] is None
    assert {row["calls"] for (role, _), row in rows.items() if role != "learner"} == {3}
    assert rows["reader", "none"]["money"] > 0
    assert rows["reader", "none"]["input_tokens"] < rows["reader", "full"]["input_tokens"]
    assert not Path("evaluation").exists()


@pytest.mark.long
def test_a_run_that_was_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After kill -9 in the middle, the same command asks the rest, and each question has one result."""
    monkeypatch.chdir(tmp_path)
    command, results = ["eval", "updates", "--json", "--out", "run"], tmp_path / "run" / "results.jsonl"
    process = fork(run_command, command, environment(), tmp_path / "out", tmp_path / "err")
    assert until(lambda: results.exists() and results.read_bytes().count(b"\n") > KILLED_AFTER)
    process.kill()
    assert exit_code(process, PATIENCE) == -signal.SIGKILL
    before = results.read_bytes()
    [done] = run_forked([command], environment())
    assert done.code == 0, done
    assert results.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    lines = map(json.loads, results.read_text(encoding="utf-8").splitlines())
    asked = [line["question_id"] for line in lines if "question_id" in line]
    assert len(asked) == len(set(asked)) == sum(len(history.questions) for history in read_benchmark("updates", []))
