"""Tests of the experiments at a small size: they run, are reproducible, and their controls work."""

import random
from pathlib import Path

import pytest

from nemuri.experiments import noise, personality, plots, runs, scorer
from nemuri.experiments.corpus import AREAS, CorpusTask, memories, task_needing
from nemuri.experiments.experiment_agent import ExperimentAgent
from nemuri.experiments.personality import ALIKE, APART, WITHOUT
from nemuri.experiments.report import CheckedClaim, Sample, build_report, window_names, windows

TASKS = 10
REPEAT = runs.run_repeat


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the experiments to few memories and few questions."""
    for module in (noise, personality, scorer):
        monkeypatch.setattr(module, "MEMORIES", 100)
    monkeypatch.setattr(personality, "PROBES", 4)
    monkeypatch.setattr(personality, "LATER_QUESTIONS", 4)
    monkeypatch.setattr(noise, "NEEDS", 20)
    monkeypatch.setattr(scorer, "NEEDS", 20)


@pytest.mark.long
@pytest.mark.parametrize("name", ["noise", "personality", "scorer"])
def test_an_experiment_is_reproducible_by_its_seed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same measurements and the same plot bytes. Another seed gives different measurements."""
    measured: list[Sample] = []

    def recorded(which: str, seed: int, repeat: int, tasks: int) -> Sample:
        measured.append(REPEAT(which, seed, repeat, tasks))
        return measured[-1]

    monkeypatch.setattr(runs, "run_repeat", recorded)
    report = runs.run(name, seed=3, tasks=TASKS, repeats=3, processes=0)
    assert {finding.claim.text for finding in report.findings} == {
        claim.text for claim in runs.EXPERIMENTS[name].claims
    }
    files = [plots.draw(report, tmp_path / each) for each in ("first", "second")]
    assert [each.read_bytes() for each in files[0]] == [each.read_bytes() for each in files[1]]
    assert REPEAT(name, 3, 1, TASKS) == measured[1]
    assert REPEAT(name, 4, 1, TASKS) != measured[1]


def small_repeat(name: str, seed: int, repeat: int, tasks: int) -> Sample:
    """Return the measurements of one repeat among few memories, in whatever process it runs."""
    noise.MEMORIES, noise.NEEDS = 60, 10  # type: ignore[misc]
    return REPEAT(name, seed, repeat, tasks)


@pytest.mark.long
def test_processes_give_the_results_of_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes give the results of one process, in whatever order the repeats end."""
    monkeypatch.setattr(runs, "run_repeat", small_repeat)
    here, there = (runs.run("noise", seed=1, tasks=10, repeats=3, processes=number) for number in (0, 2))
    assert here.findings
    assert [finding.verdict for finding in here.findings] == [finding.verdict for finding in there.findings]
    means = [[figure.mean for figure in report.figures.values()] for report in (here, there)]
    assert means[0] == pytest.approx(means[1])


@pytest.mark.long
def test_agents_without_strengths_do_not_diverge() -> None:
    """Two controls: agents without strengths do not diverge, so strengths cause the divergence; another control
    measures how much divergence arises by chance alone.
    """
    found = runs.run_repeat("personality", 1, 0, TASKS)
    drifts = [measure for measure, condition in found if condition == APART and not measure.startswith("nDCG")]
    assert len(drifts) == 4
    assert all(found[measure, WITHOUT] == pytest.approx(0.0, abs=1e-12) for measure in drifts)
    assert found["ranking: 1 - tau", APART] > 0
    assert found["ranking: 1 - tau", ALIKE] > 0


async def test_agents_with_equal_streams_are_equal() -> None:
    """Two agents with the same tasks have a divergence of 0."""
    chance = random.Random(5)
    world = memories(chance, 60)
    needs = {area: [passage for passage in world if passage.area == area] for area in AREAS}
    tasks = list(personality.mixed(chance, needs, "flow", TASKS))
    pair = [await ExperimentAgent.remembering(world, "use") for _ in range(2)]
    for living in pair:
        for task in tasks:
            await living.process(task)
    probes = [task_needing(chance, each) for each in world[:10]]
    drifts = await personality.drift(pair[0], pair[1], probes)
    assert list(drifts.values()) == pytest.approx([0.0] * len(drifts), abs=1e-12)


def test_a_finding_states_the_verdict_of_its_interval() -> None:
    """A finding states the verdict of its interval: shown, not shown, or the opposite is shown."""
    claim = CheckedClaim("more is more", ("a", "x"), ("a", "y"))
    samples: list[Sample]
    for step, verdict in ((0.5, "shown"), (-0.5, "the opposite is shown"), (0.0, "not shown")):
        samples = [{("a", "x"): step + noise, ("a", "y"): 0.0} for noise in (-0.02, -0.01, 0.0, 0.01, 0.02)]
        assert build_report("noise", samples, [claim], seed=1, tasks=TASKS).findings[0].verdict == verdict


def test_a_measure_of_too_few_repeats_is_not_reported() -> None:
    """A measure with too few repeats for an interval is not in the report."""
    samples: list[Sample] = [{("a", "x"): 1.0}, {("a", "x"): 1.0, ("b", "x"): 2.0}, {("a", "x"): 1.5}]
    assert set(build_report("noise", samples, (), seed=1, tasks=TASKS).figures) == {("a", "x")}


def test_windows_partition_a_stream() -> None:
    """Windows divide a stream of tasks so that every task is in exactly one window."""
    assert window_names(25)[0].startswith("1-")
    assert window_names(25)[-1].endswith("-25")
    assert window_names(4) == ["1-1", "2-2", "3-3", "4-4"]
    values = [float(each) for each in range(100)]
    assert sum(value for _, value in windows(values)) / 10 == pytest.approx(sum(values) / 100)


async def test_a_task_without_relevant_memories_is_ranked_and_learned_from() -> None:
    """A task without relevant memories has empty rankings, and the experiment continues."""
    world = memories(random.Random(6), 60)
    living, trainer = await ExperimentAgent.remembering(world, "use"), scorer.Trainer()
    recalled = await living.process(CorpusTask("Rhubarb glacier trombone", world[0]))
    assert not recalled.candidates
    assert trainer.orders(recalled) == {ranking: [] for ranking in scorer.RANKINGS}
    trainer.learn(living, recalled)
