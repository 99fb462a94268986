"""`nemuri society experiment NAME --model`: societies with a stand-in over the wire format, by the console script."""

import asyncio
import json
from pathlib import Path

import pytest
from bench.prompt_citizen import PromptCitizen

from nemuri_society.experiments.experiment_society import FULL
from nemuri_society.experiments.item_progression import BLIND, ITEMS
from tests.e2e.conftest import SCRIPT, environment
from tests.integration.society.wire_model import TextModel

pytestmark = [pytest.mark.connected, pytest.mark.slow]
OPTIONS = ("--model", "openai:citizen", "--agents", "2", "--seconds", "60", "--speed", "20", "--json")


async def run(data: Path, *arguments: str, **variables: str) -> tuple[int | None, str, str]:
    """Run a society command, and return its exit code and its output."""
    process = await asyncio.create_subprocess_exec(
        SCRIPT, "--data", data, "society", *arguments, env=environment(**variables),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


@pytest.mark.long  # six societies; in the gate `test_model_experiments.py` measures two and the next test ends one
async def test_an_experiment_with_a_model_is_measured_from_records_and_not_run_twice(tmp_path: Path) -> None:
    """Each condition and repeat is a society of its own, with all modules but those left out. The result says that it
    is that of a model. A second call measures the same records and asks the model nothing. An experiment of other
    options does not mix with them.
    """
    citizen, asked = PromptCitizen(), 0

    def answer(system: str, user: str) -> str:
        nonlocal asked
        asked += 1
        return citizen.answer(system, user)

    async with TextModel(answer) as model:
        keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{model.url}/v1"}
        code, out, err = await run(tmp_path, "experiment", "items", *OPTIONS, **keys)
        assert code == 0, err
        first, calls = json.loads(out), asked
        _, again, _ = await run(tmp_path, "experiment", "items", *OPTIONS, **keys)
        assert (json.loads(again), asked) == (first, calls)
        code, _, err = await run(tmp_path, "experiment", "items", *OPTIONS, "--agents", "3", **keys)
        assert (code, err.count("\n")) == (1, 1), err
        assert "'items-1-1-1' exists and was made with other options" in err
        _, listed, _ = await run(tmp_path, "list", "--json")
    assert calls > 0
    assert (first["form"], first["model"], first["runs"]) == ("model", "openai:citizen", 3)
    means = {(one["measure"], one["condition"]): one["mean"] for one in first["figures"]}
    assert means[ITEMS, FULL] > 0
    assert {condition for _, condition in means} == {FULL, BLIND}
    assert len(json.loads(listed)) == 6


@pytest.mark.long
async def test_an_experiment_whose_budget_is_used_up_ends_without_figures(tmp_path: Path) -> None:
    """The budget is that of one society. When it is used up the society has stopped thinking, and nothing is told."""
    async with TextModel(PromptCitizen().answer) as model:
        keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{model.url}/v1"}
        code, out, err = await run(tmp_path, "experiment", "items", *OPTIONS, "--budget", "100", **keys)
    assert (code, out) == (1, "")
    assert "society 'items-1-1-1' stopped thinking" in err.splitlines()[-1]
