"""`nemuri experiment`: invalid arguments and missing libraries are refused before anything is run or written."""

import sys
from pathlib import Path

import pytest

from nemuri.experiments import noise, runs
from tests.condition_waits import PATIENCE
from tests.e2e.conftest import CommandLine, environment
from tests.e2e.forking import CommandResult, exit_code, fork, run_command, run_forked

WRONG_USE = [
    ("nosuch",),
    *(("noise", "--tasks", number) for number in ("0", "-1", "9", "abc", "12.5", "10001", "9" * 30)),
    ("scorer", "--tasks", "421"),
    *(("personality", "--repeats", number) for number in ("0", "1", "7", "abc", "1001")),
    ("noise", "--seed", "-1"),
    ("noise", "--out", "file"),
    ("noise", "--out", "file/below", "--json"),
    ("noise", "--out", "/proc/nothing"),
]


def test_wrong_use_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Invalid arguments are refused with exit code 2 and one line, and nothing is written.

    Among them are paths to which not even root may write.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("here already")
    for done in run_forked(
        [("--data", str(tmp_path), "experiment", *arguments) for arguments in WRONG_USE], environment()
    ):
        assert (done.code, done.out) == (2, ""), done
        assert done.err.startswith("nemuri: "), done
        assert done.err.count("\n") == 1, done
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "here already")]


def path_without(library: str, folder: Path) -> str:
    """Return a PYTHONPATH that makes the import of a library fail."""
    stubs = folder / "stubs"
    stubs.mkdir()
    (stubs / f"{library}.py").write_text(f"raise ModuleNotFoundError(\"No module named '{library}'\")")
    return f"{stubs}:{Path(__file__).parents[2]}"


@pytest.mark.parametrize(
    ("library", "command"),
    [
        ("matplotlib", ("experiment", "noise", "--out", "out")),
        ("matplotlib", ("society", "experiment", "taxes", "--plot", "out/plot.svg")),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    library: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a library, the command exits with code 1, names the library and the extra that installs it, and writes
    nothing.
    """
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    done = CommandLine(tmp_path).run_script(*command, PYTHONPATH=path_without(library, tmp_path))
    assert (done.code, done.out) == (1, ""), done
    assert done.err.startswith(f"nemuri: {library} is not installed "), done
    assert "pip install 'nemuri[experiments]'" in done.err
    assert done.err.count("\n") == 1, done
    assert not out.exists()


@pytest.mark.long
def test_an_experiment_runs_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib an experiment prints its figures as JSON and writes no file."""
    monkeypatch.chdir(tmp_path)
    arguments = ("society", "experiment", "taxes", "--agents", "5", "--seconds", "240", "--runs", "5", "--json")
    done = CommandLine(tmp_path).run_script(*arguments, PYTHONPATH=path_without("matplotlib", tmp_path))
    assert (done.code, done.err) == (0, ""), done
    assert done.json["figures"]
    assert not done.json["plot"]
    assert not (tmp_path / "experiments").exists()


def run_small(arguments: list[str], variables: dict[str, str], out: Path, err: Path, *absent: str) -> None:
    """Run a command in this forked process with few memories and without the libraries `absent`."""
    noise.MEMORIES, noise.NEEDS = 60, 10  # type: ignore[misc]
    runs.cores = lambda: 0
    sys.modules |= dict.fromkeys(absent)  # type: ignore[arg-type]
    run_command(arguments, variables, out, err)


def small_experiment(folder: Path, *arguments: str, absent: tuple[str, ...] = ()) -> CommandResult:
    """Run the shortest experiment on noise that is permitted, with few memories, and return its outcome."""
    out, err = folder / "stdout", folder / "stderr"
    command = ["--data", str(folder), "experiment", "noise", "--tasks", "10", "--repeats", "8", *arguments]
    process = fork(run_small, command, environment(), out, err, *absent)
    code = exit_code(process, PATIENCE)
    assert code is not None
    return CommandResult(code, out.read_text(), err.read_text())


@pytest.mark.long
def test_a_missing_plot_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib the last line names the missing library and how to install it."""
    monkeypatch.chdir(tmp_path)
    done = small_experiment(tmp_path, absent=("matplotlib",))
    assert done.code == 0, done
    assert done.out.splitlines()[-1].startswith("no plot is drawn: matplotlib is not installed")
    assert "pip install 'nemuri[experiments]'" in done.out


@pytest.mark.long
def test_experiment_json_names_its_files(tmp_path: Path) -> None:
    """`--json` prints one object with figures, findings with intervals, and the paths of the written files."""
    done = small_experiment(tmp_path, "--seed", "2", "--out", str(tmp_path), "--json")
    assert done.code == 0, done
    found = done.json
    assert {key: found[key] for key in ("experiment", "seed", "tasks")} == {
        "experiment": "noise",
        "seed": 2,
        "tasks": 10,
    }
    assert (found["level"], found["claim_level"]) == (0.95, 0.99)
    assert {each["verdict"] for each in found["findings"]} <= {"shown", "not shown", "the opposite is shown"}
    assert all(each["low"] <= each["mean"] <= each["high"] for each in (*found["figures"], *found["findings"]))
    assert {Path(each) for each in found["files"]} == set(tmp_path.glob("noise.*"))
    assert len(found["files"]) == 2
