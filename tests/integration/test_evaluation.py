"""Evaluations run through the platform: retrieval without a model, answers with one, and going on after a stop."""

import json
from pathlib import Path

import pytest

from nemuri.evaluation.benchmark import History
from nemuri.evaluation.benchmarks import read_benchmark
from nemuri.evaluation.contexts import ARMS, RANKED
from nemuri.evaluation.models import ROLES, RunModels
from nemuri.evaluation.questions import Reading
from nemuri.evaluation.report import write_report
from nemuri.evaluation.results import ArmResult
from nemuri.evaluation.run import RunDescription, RunDirectory, run
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.runtime.settings import Settings
from tests.integration.examiner import Examiner
from tests.unit.client.evaluation.samples import LOCOMO, LONGMEMEVAL, beam_folder, written

MODEL = "openai:examiner"
SETTINGS = Settings(embedder="built-in", providers="extractive")


def histories(folder: Path) -> list[History]:
    """Return the histories of a small file in the format of LoCoMo."""
    return read_benchmark("locomo", [written(folder / "locomo.json", LOCOMO)])


def opened(folder: Path, *, models: bool = False) -> RunDirectory:
    """Return the directory of a run, with or without models."""
    named = dict.fromkeys(ROLES, MODEL) if models else {}
    about = RunDescription(
        benchmark="locomo", files=("locomo.json",), models=named, embedder="built-in", arms=ARMS, top=50, tokens=2_000,
        seed=1, limit=None, kinds=(),
    )  # fmt: skip
    return RunDirectory.opened(folder / "run", about)


async def evaluated(some: list[History], directory: RunDirectory, server: Examiner | None = None) -> None:
    """Run to the end, with the models that the directory's description names at the server."""
    models = RunModels()
    if server is not None:
        settings = ModelSettings(openai_base_url=server.url, attempts=1, prices={"examiner": {"input": 2, "output": 4}})
        models = RunModels.of(directory.description.models, settings, directory.replies)
    try:
        await run(some, Reading(models), directory.results, SETTINGS)
    finally:
        await models.aclose()


def arm(directory: RunDirectory, question: str, name: str) -> ArmResult:
    """Return the result of an arm for a question."""
    return next(one for one in directory.results.questions[question].arms if one.arm == name)


async def test_retrieval_is_measured_without_a_model(tmp_path: Path) -> None:
    """The memory and BM25 find the turn with the answer; arms without a ranking take no part."""
    directory = opened(tmp_path)
    await evaluated(histories(tmp_path), directory)
    for name in RANKED:
        found = arm(directory, "conv-1-0", name)
        assert found.evidence == 1.0
        assert found.passages[0].needed
        assert found.passages[0].text == "Ann 8 May 2023 1:56 pm: I adopted a greyhound called Pixel."
        assert found.answer is None
    assert [one.arm for one in directory.results.questions["conv-1-0"].arms] == list(RANKED)
    assert directory.results.histories["conv-1"].messages == 5
    figures = write_report(directory.path, directory.description, directory.results)
    assert {row["arm"] for row in figures["figures"]} == set(RANKED)
    page = (directory.path / "report.html").read_text(encoding="utf-8")
    assert "http" not in page
    assert "<script" not in page


@pytest.mark.parametrize("name", ["longmemeval", "beam", "updates"])
async def test_each_benchmark_is_retrieved(tmp_path: Path, name: str) -> None:
    """Every format goes through the platform, and what holds now comes before what it replaced."""
    paths = {"longmemeval": written(tmp_path / "s.json", LONGMEMEVAL), "beam": beam_folder(tmp_path / "1")}
    some = read_benchmark(name, [paths[name]] if name in paths else [])
    directory = opened(tmp_path)
    await evaluated(some, directory)
    assert len(directory.results.questions) == sum(len(history.questions) for history in some)
    found = [arm(directory, question, "memory") for question in directory.results.questions]
    shares = [one.evidence for one in found if one.evidence is not None]
    assert sum(shares) > 0.9 * len(shares) > 0


async def test_answers_are_read_and_judged(tmp_path: Path) -> None:
    """The reader answers from each arm's passages, the judge scores it, and calls, tokens and money are counted."""
    async with Examiner(["Pixel"]) as server:
        directory = opened(tmp_path, models=True)
        await evaluated(histories(tmp_path), directory, server)
    assert {name: arm(directory, "conv-1-0", name).score for name in ARMS} == {
        "memory": 1.0, "bm25": 1.0, "full": 1.0, "none": 0.0,
    }  # fmt: skip
    assert arm(directory, "conv-1-2", "none").answer == "This is not known."
    assert "greyhound" in (arm(directory, "conv-1-0", "memory").answer or "")
    assert (server.calls["learner"], server.calls.total()) == (4, len(directory.replies.known))
    figures = write_report(directory.path, directory.description, directory.results)
    costs = {(row["arm"], row["role"]): row for row in figures["costs"]}
    assert (costs["memory", "learner"]["calls"], costs["memory", "reader"]["input_tokens"]) == (4, 33)
    assert costs["full", "judge"]["money"] == pytest.approx(3 * (11 * 2 + 5 * 4) / 1e6)
    wrong = json.loads((directory.path / "report.json").read_text(encoding="utf-8"))["wrong"]
    missed = next(one for one in wrong if one["question_id"] == "conv-1-1")
    assert missed["arms"][0]["judged"] == "by its words"
    assert "score" in missed["arms"][0]["passages"][0]["why"]


async def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """If the model is down, what was asked is kept; the next run asks the rest alone, and finds the same."""
    async with Examiner(["Pixel"]) as server:
        directory = opened(tmp_path, models=True)
        server.calls_until_down = 9
        with pytest.raises(ModelUnavailable):
            await evaluated(histories(tmp_path), directory, server)
        assert len(directory.results.questions) < 3
        server.calls_until_down = None
        again = opened(tmp_path, models=True)
        await evaluated(histories(tmp_path), again, server)
        assert len(again.results.questions) == 3
        asked = server.calls.total()
        assert asked == len(again.replies.known)
        await evaluated(histories(tmp_path), opened(tmp_path, models=True), server)
        assert server.calls.total() == asked


async def test_a_model_that_is_down_at_once_is_named(tmp_path: Path) -> None:
    """If facts cannot be read, the run ends with the reason, and no question counts as asked."""
    async with Examiner([]) as server:
        server.calls_until_down = 0
        directory = opened(tmp_path, models=True)
        with pytest.raises(ModelUnavailable, match="openai:examiner"):
            await evaluated(histories(tmp_path), directory, server)
        assert directory.results.questions == {}
