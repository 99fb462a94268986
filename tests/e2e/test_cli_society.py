"""`nemuri society`: invalid arguments are refused in one line and leave nothing behind."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import environment
from tests.e2e.forking import run_forked

pytestmark = pytest.mark.connected
LONG = "a" * 49
WRONG_USE: dict[tuple[str, ...], str] = {
    ("run", "--agents", "0"): "--agents",
    ("run", "--agents", "10000"): "5000",
    ("run", "--agents", "many"): "--agents",
    ("run", "--seconds", "0"): "--seconds",
    ("run", "--seed", "-1"): "--seed",
    ("run", "--name", "a b"): "'a b' is not a valid name",
    ("run", "--name", LONG): "48 letters",
    ("run", "--world", "mars"): "there is no world 'mars'; there are forum, grid, minecraft",
    ("run", "--world", "minecraft", "--speed", "2"): "Minecraft runs in real time",
    ("run", "--world", "minecraft", "--agents", "1601", "--limit", "2000"): "room for 1600",
    ("run", "--size", "10"): "--size",
    ("run", "--towns", "65"): "--towns",
    ("run", "--speed", "0"): "--speed",
    ("run", "--hosts", "0"): "--hosts",
    ("run", "--agents", "50", "--limit", "20"): "--limit",
    ("run", "--agents", "30", "--limit", "30"): "cells of 25",
    ("run", "--without", "nothing"): "unknown module: nothing; there are action_awareness,",
    ("run", "--plugin", "nothing"): "no installed package has a module nothing",
    ("run", "--slots", "0"): "--slots",
    ("run", "--latency", "-1"): "--latency",
    ("run", "left", "--agents", "3"): "--agents and --towns",
    ("run", "--runs", "2"): "--runs needs --seconds",
    ("run", "--budget", "much"): "'much' is no budget",
    ("run", "--budget", "tokens=-1"): "is no budget",
    ("check",): "FILE",
    ("resume",): "NAME",
    ("resume", "a.*"): "'a.*' is not a valid name",
    ("resume", "x", "--limit", "0"): "--limit",
    ("watch", ">"): "'>' is not a valid name",
    ("watch", "x", "--seconds", "0"): "--seconds",
    ("delete", ""): "is not a valid name",
    ("run", "--rate", "21"): "--rate",
    ("export", "x", "--to", "x.csv"): ".jsonl or .parquet",
    ("export", "x", "--to", "nowhere/x.jsonl"): "there is no directory",
    ("report", "x", "--to", "nowhere/x.html"): "no file in an existing directory",
    ("story", "x"): "AGENT",
    ("interview", "x", "Aiko", ""): "1 to 1,000 characters",
    ("interview", "x", "Aiko", " "): "not only blanks",
    ("budget", "x", "0"): "'0' is no budget",
    ("budget", "x", "money=-1"): "'money=-1' is no budget",
    ("survey", "x", "a" * 1_001): "1 to 1,000 characters",
    ("inject", "x", "Aiko"): "exactly one of --belief, --event and --law",
    ("inject", "x", "Aiko", "--belief", "a", "--law", "b"): "exactly one of --belief, --event and --law",
    ("step", "x", "--seconds", "0"): "--seconds",
    ("fork", "x", "--as", "a b"): "'a b' is not a valid name",
    ("compare", "x", ".*"): "'.*' is not a valid name",
    ("experiment", "items", "--model", "scripted"): "leave it out for the scripted form",
    ("experiment", "items", "--model", "gpt 5"): "'gpt 5' is no model",
    ("experiment", "items", "--speed", "2"): "--speed: only with --model",
    ("experiment", "items", "--runs", "4"): "--runs is at least 5",
    ("experiment", "items", "--model", "main", "--runs", "2"): "--runs is at least 3",
    ("experiment", "taxes", "--model", "main", "--agents", "6"): "--agents is at least 7",
    ("experiment", "memes", "--model", "main", "--seconds", "100"): "--seconds is at least 120",
    ("experiment", "items", "--model", "main", "--without", "x"): "a society has the modules",
    ("experiment", "items", "--model", "main", "--plot", "x.svg"): "--plot draws the scripted form",
    ("host", "a b"): "'a b' is not a valid name",
    ("world", "a b"): "'a b' is not a valid name",
}
FAILED: dict[tuple[str, ...], str] = {
    ("run", "left.yaml"): "left.yaml: there is no such file",
    ("check", "left.yaml"): "left.yaml: there is no such file",
    ("run", "--world", "minecraft"): "install",
    ("experiment", "items", "--model", "platform"): "no language model is set up",
    ("experiment", "items", "--model", "openai:x"): "the provider openai needs",
    ("experiment", "items", "--model", "main", "--file", "left.yaml"): "left.yaml: there is no such file",
    ("experiment", "likeability", "--model", "main", "--agents", "17"): "needs profile.likeability",
    ("watch", "x"): "no platform is ready",
    ("list",): "no platform is ready",
    ("resume", "x"): "no platform is ready",
    ("delete", "x"): "no platform is ready",
    ("export", "x", "--to", "x.jsonl"): "no platform is ready",
    ("story", "x", "Aiko"): "no platform is ready",
    ("report", "x"): "no platform is ready",
    ("interview", "x", "Aiko", "Why?"): "no platform is ready",
    ("pause", "x"): "no platform is ready",
    ("budget", "x", "5000"): "no platform is ready",
    ("inject", "x", "Aiko", "--law", "b"): "no platform is ready",
    ("fork", "x", "--as", "y"): "no platform is ready",
    ("compare", "x", "y"): "no platform is ready",
    ("host", "x"): "no platform is ready",
    ("world", "x"): "no platform is ready",
}


@pytest.fixture
def directory() -> Iterator[Path]:
    """Path of a data directory that does not exist."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    yield path / "data"
    shutil.rmtree(path)


def test_wrong_use_is_refused_and_leaves_nothing(directory: Path) -> None:
    """A command with invalid arguments prints one line of error and creates no data directory."""
    refused = [(command, line, 2) for command, line in WRONG_USE.items()]
    refused += [(command, line, 1) for command, line in FAILED.items()]
    commands = [["--data", str(directory), "society", *command] for command, _, _ in refused]
    for (command, line, code), done in zip(refused, run_forked(commands, environment()), strict=True):
        assert (command, done.code) == (command, code), done.err
        assert (done.out, done.err.count("\n")) == ("", 1), done.err
        assert line in done.err
    assert not directory.exists()
