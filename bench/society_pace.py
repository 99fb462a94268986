"""Intervals at which the modules of small societies think on their defaults, and what this takes from a model.

    python -m bench.society_pace              # twelve minutes
    python -m bench.society_pace --quick      # five agents for ten seconds
    python -m bench.society_pace --estimates  # also writes the means from which runs are estimated

Societies of 10, 25 and 50 agents live in the grid world. Their model answers after an exponentially distributed time
with a mean of 2.5 seconds: once the scripted model, once a stand-in that speaks the wire format of OpenAI over the
loopback and knows only what the prompt says. Tokens are counted as a quarter of the characters. Intervals are those of
document 002 §3.3: from the end of a run to the beginning of the next.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.integration.providers.provider import ReceivedRequest, ScriptedReply
from tests.integration.society.fake_language_model import FakeLanguageModel

from bench.measuring import save_figures, table
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.pace import Pace
from nemuri_society.contracts.society import Society, TokenUse
from nemuri_society.operations.estimate import ESTIMATES_PATH, estimates_text
from nemuri_society.operations.lifecycle import create_society, run_society
from nemuri_society.operations.nats_server import society_server
from nemuri_society.operations.report import RunReport
from nemuri_society.operations.society_file import SocietyPlan

SIZES: Final = (10, 25, 50)
SECONDS, QUICK_SECONDS = 100.0, 10.0
LATENCY: Final = 2.5
"""Mean answer time of the models in seconds."""
CHARACTERS_PER_TOKEN: Final = 4


class TimedModel(FakeLanguageModel):
    """A provider that answers by the words of the prompt after an exponentially distributed time."""

    def __init__(self, seed: int) -> None:
        """Create the provider."""
        super().__init__()
        self._rng = Random(seed)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request. The waiting for the answer goes on beside other requests."""
        await asyncio.sleep(self._rng.expovariate(1 / LATENCY))
        await super().handle(reader, writer)

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        reply = super()._next(request)
        self.received.clear()
        assert isinstance(reply.body, dict)
        asked = sum(len(str(message["content"])) for message in request.body["messages"])
        said = len(str(reply.body["choices"][0]["message"]["content"]))
        tokens = {"prompt_tokens": asked // CHARACTERS_PER_TOKEN, "completion_tokens": said // CHARACTERS_PER_TOKEN}
        return ScriptedReply(reply.body | {"usage": tokens | {"total_tokens": sum(tokens.values())}})


async def measure(agents: int, model: str, seconds: float) -> dict[str, Any]:
    """Run a society on its defaults for `seconds` seconds, and return its figures."""
    name = f"pace-{model}-{agents}"
    society = SocietyPlan(generate=agents, latency=LATENCY if model == "scripted" else 0.0).society(name, 1)
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as directory:
        async with _model(model) as environment, _running(Path(directory), society, environment) as (settings, log):
            await create_society(log, society)
            report = await run_society(
                log, society, settings, seconds=seconds, limit=500, stop=asyncio.Event(), on_figures=lambda _: None
            )
    return figures(society, report)


@asynccontextmanager
async def _model(model: str) -> AsyncIterator[Mapping[str, str]]:
    """Yield the environment variables with which hosts use a model."""
    if model == "scripted":
        yield {"NEMURI_PROVIDERS": "extractive"}
        return
    async with TimedModel(1) as server:
        yield {
            "NEMURI_PROVIDERS": "openai", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{server.url}/v1",
            "NEMURI_OPENAI_LIGHT_MODEL": "stand-in",
        }  # fmt: skip


@asynccontextmanager
async def _running(directory: Path, society: Society, environment: Mapping[str, str]) -> AsyncIterator[Any]:
    """Yield the settings and the log of a server for this society, whose processes get these variables."""
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        async with society_server(Settings(data=directory), start=True, running=society.name, new=True) as there:
            yield there
    finally:
        os.environ.clear()
        os.environ.update(before)


def figures(society: Society, report: RunReport) -> dict[str, Any]:
    """Return the figures of a run."""
    hours = report.agents * report.seconds / 3_600
    used = {module: sum(models.values(), TokenUse()) for module, models in report.token_use.items()}
    return {
        "agents": report.agents,
        "slots": society.concurrency,
        "seconds": round(report.seconds, 1),
        "modules": {
            module: _module(pace, used.get(module, TokenUse()), hours) for module, pace in report.paces.items()
        },
        "answers_per_second": round(report.asked.answered / max(1e-9, report.seconds), 2),
        "wait_s": round(report.asked.mean, 3),
        "longest_wait_s": round(report.asked.longest, 3),
        "silence_s": round(report.silence, 1),
        "failures": report.failures,
    }


def _module(pace: Pace, used: TokenUse, hours: float) -> dict[str, float]:
    calls = max(1, used.calls)
    return {
        "interval_s": round(pace.interval, 2),
        "longest_interval_s": round(pace.longest_interval, 2),
        "too_long": round(pace.late / max(1, pace.runs), 4),
        "wait_s": round(pace.wait, 3),
        "longest_wait_s": round(pace.longest_wait, 3),
        "answer_s": round(pace.answer, 2),
        "runs": pace.runs,
        "requests": pace.requests,
        "calls_per_agent_hour": round(pace.requests / max(1e-9, hours), 1),
        "input_tokens": round(used.input_tokens / calls, 1),
        "output_tokens": round(used.output_tokens / calls, 1),
    }


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--quick", action="store_true", help="a smoke test: five agents for ten seconds")
    parser.add_argument("--estimates", action="store_true", help="write the means from which runs are estimated")
    chosen = parser.parse_args()
    sizes, seconds = ((5,), QUICK_SECONDS) if chosen.quick else (SIZES, chosen.seconds)
    found: dict[str, dict[str, Any]] = {}
    for model in ("scripted", "wire"):
        for agents in sizes:
            print(f"{agents} agents, {model}, {seconds:.0f} s", file=sys.stderr, flush=True)
            found[f"{agents} {model}"] = run = asyncio.run(measure(agents, model, seconds))
            columns = list(next(iter(run["modules"].values())))
            rows = [(module, *(one[column] for column in columns)) for module, one in run["modules"].items()]
            print(f"\n{agents} agents, {model}\n" + table([("module", *columns), *rows]), flush=True)
    save_figures("society_pace", {"latency_s": LATENCY, "at": found})
    if chosen.estimates:
        ESTIMATES_PATH.write_text(estimates_text(found[f"{sizes[-1]} wire"]["modules"], LATENCY), encoding="utf-8")


if __name__ == "__main__":
    main()
