"""Tests of the commands, reports and plots of the experiments on societies."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import typer
from typer.testing import CliRunner

from nemuri.cli.session import Session
from nemuri.experiments.report import Sample
from nemuri_society.cli import society_experiments
from nemuri_society.experiments import experiment_registry, plots, taxes
from nemuri_society.experiments.experiment_society import Setting, course

SMALL = Setting(5, 60)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the tax vote by random figures, so that no society runs."""

    def sample(seed: int, repeat: int, setting: Setting) -> Sample:
        chance, found = Random(f"{seed}/{repeat}"), dict[tuple[str, str], float]()
        for arm in (taxes.AGAINST, taxes.FOR, taxes.FROZEN, *setting.ablations):
            found |= {(taxes.AFTER, arm): chance.random(), **course(taxes.PAID, arm, setting, [chance.random()] * 10)}
        return found

    monkeypatch.setitem(
        experiment_registry.EXPERIMENTS, "taxes", replace(experiment_registry.EXPERIMENTS["taxes"], sample=sample)
    )


def command() -> typer.Typer:
    """Return the command line with the society experiments only."""
    app, society = typer.Typer(), typer.Typer()

    @app.callback()
    def root(context: typer.Context) -> None:
        context.obj = Session(None, json=False, verbose=False)

    society_experiments.register(society)
    app.add_typer(society, name="society")
    return app


def test_every_experiment_is_a_command_that_states_its_limits() -> None:
    """Each experiment has a command, claims, a plot, and a text that states what it does not show."""
    assert list(society_experiments.HELP_TEXTS) == list(experiment_registry.EXPERIMENTS) == list(plots._FIGURES)
    for experiment in experiment_registry.EXPERIMENTS.values():
        assert experiment.label
        assert experiment.claims
        assert experiment.usual.agents >= experiment.fewest
        assert experiment.usual.seconds >= experiment.shortest


def test_the_seed_determines_the_society() -> None:
    """The same seed gives the same figures, and another seed gives different ones."""
    first, second, other = (experiment_registry.one("taxes", seed, 0, Setting(5, 20)) for seed in (1, 1, 2))
    assert first == second
    assert first != other


@pytest.mark.usefixtures("drawn")
def test_the_same_seed_gives_the_same_report_and_the_same_plot(tmp_path: Path) -> None:
    """The same seed gives the same report and a plot with the same bytes."""
    reports = [experiment_registry.run("taxes", SMALL, seed=1, runs=5, processes=0) for _ in range(2)]
    assert reports[0].as_json() == reports[1].as_json()
    files = [tmp_path / "one.svg", tmp_path / "deeper" / "two.svg"]
    for report, file in zip(reports, files, strict=True):
        plots.draw(report, SMALL, 5, file)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.usefixtures("drawn")
def test_a_report_states_its_size_and_limits() -> None:
    """A report states its size and limits as JSON. Each ablation (a run without one part) is one of its arms."""
    setting = replace(SMALL, without=("wandering",))
    found = experiment_registry.as_json(
        experiment_registry.run("taxes", setting, seed=1, runs=5, processes=0), setting, 5
    )
    assert (found["agents"], found["seconds"], found["runs"], found["without"]) == (5, 60, 5, ["wandering"])
    assert "scripted" in found["label"]
    assert "tasks" not in found
    assert "without wandering" in {each["condition"] for each in found["figures"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["memes", "--without", "planning"], "memes has the modules conversing, wandering"),
        (["taxes", "--agents", "4"], "--agents is at least 5 in taxes"),
        (["likeability", "--seconds", "60"], "--seconds is at least 120 in likeability"),
        (["items", "--plot", "plot.gif"], "must end with .png, .svg, .pdf"),
        (["items", "--plot", "/dev/null/plot.png"], "/dev/null is not a directory"),
        (["items", "--runs", "1"], "--runs"),
        (["items", "--seed", "-1"], "--seed"),
        (["nothing"], "nothing"),
    ],
)
def test_wrong_use_is_refused_before_a_run(arguments: list[str], said: str) -> None:
    """With invalid arguments the command exits with code 2 and prints the reason before anything runs."""
    found = CliRunner().invoke(command(), ["society", "experiment", *arguments], env={"COLUMNS": "300"})
    assert found.exit_code == 2
    assert said in found.stderr
