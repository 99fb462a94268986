"""How much of a careless model's replies each job can read.

    python -m bench.careless_model                          # every job, three replies each
    python -m bench.careless_model --job facts --replies 5 --show

SmolLM2 with 135 million weights answers each job of the tests' recordings through the provider `openai`, in at most 100
tokens, because it hardly ever stops. A reply is
`read` if the job's value was read in it, `by rules` if it could not be read and rules gave the value, and `refused` if
the job ended with an error. `copied` are those read replies that hold a text which the prompt gave as an example: a
person would take them for made up. Needs `make careless`.
"""

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from tests.cassettes.cassette import cassette, cassette_names
from tests.integration.providers.careless_model import CarelessServer, SmallModel, missing_modules

from bench.measuring import save_figures, table
from nemuri_contracts.conversations import ConversationTurn
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
from nemuri_infra.models.jobs.conversation_facts import FactsJob
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import Job

ENGLISH = (
    "I moved from Oslo to Bergen last week.",
    "Nice! Do you like it there?",
    "Very much. My sister Kari lives next door, and we cook together every Sunday.",
    "What do you cook?",
    "Mostly soup. I cannot eat nuts, by the way, so please never suggest any.",
)
JAPANESE = (
    "先週、大阪から札幌に引っ越しました。",
    "新しい街はどうですか。",
    "気に入っています。妹の恵が近くに住んでいて、毎週日曜日に一緒に料理をします。",
    "何を作りますか。",
    "だいたいスープです。ナッツは食べられないので、勧めないでください。",
)


def talk(said: tuple[str, ...], speaker: str) -> FactsJob:
    """Return the job of reading a conversation, of which every second turn is the assistant's."""
    at = datetime(2026, 5, 4, 9, tzinfo=UTC)
    turns = (
        ConversationTurn(position=number, role="assistant" if number % 2 else "user", text=text, at=at)
        for number, text in enumerate(said)
    )
    return FactsJob(tuple(t if t.role == "assistant" else t.model_copy(update={"speaker": speaker}) for t in turns))


def jobs() -> dict[str, Job[Any]]:
    """Return every job by its name: those of the recordings, and two conversations."""
    recorded = {name: cassette(name).job for name in cassette_names()}
    return recorded | {"facts (English)": talk(ENGLISH, "Ann"), "facts (Japanese)": talk(JAPANESE, "恵子")}


def texts(value: object) -> Iterator[str]:
    """Yield the texts in a job's value."""
    if isinstance(value, str):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from texts(getattr(value, field.name))
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)


def copied(job: Job[Any], value: object) -> bool:
    """Return whether a value holds a text of several words, or a row of dots, that stands in quotation marks in the
    job's system message.
    """
    system = job.chat_request().system
    return any(f'"{text}"' in system for text in texts(value) if " " in text or text.strip(". …") == "" != text)


async def outcome(model: PromptedModel, job: Job[Any]) -> tuple[str, object]:
    """Return how one call of a job ends, and its value."""
    try:
        reply = await model.do(job)
    except (ModelRefused, ModelUnavailable) as error:
        return "refused", str(error)
    if job.stand_in in reply.usage.model:
        return "by rules", reply.value
    return "copied" if copied(job, reply.value) else "read", reply.value


async def measure(names: list[str], replies: int, longest: int, *, show: bool) -> dict[str, dict[str, float]]:
    """Return the numbers of replies of each job by outcome, with tokens and seconds of a call."""
    figures: dict[str, dict[str, float]] = {}
    async with CarelessServer(SmallModel(), longest, honest=False) as server:
        model = PromptedModel(OpenAIChat(api_key="none", base_url=server.url, model="smollm2", timeout=300))
        for name, job in jobs().items():
            if names and name not in names:
                continue
            first, began, counts = len(server.asked), time.perf_counter(), Counter[str]()
            for _ in range(replies):
                how, value = await outcome(model, job)
                counts[how] += 1
                if show:
                    said = "\n   … ".join(asked.reply for asked in server.asked[first + counts.total() - 1 :])
                    print(f"--- {name}: {how}\n>>> {said}\n=== {value}\n")
            calls = server.asked[first:]
            tokens = round(sum(asked.tokens for asked in calls) / max(len(calls), 1))
            seconds = round((time.perf_counter() - began) / replies, 1)
            figures[name] = {**counts, "calls": len(calls), "tokens": tokens, "seconds": seconds}
            print(table([(name, *(f"{key} {value}" for key, value in figures[name].items()))]), flush=True)
        await model.aclose()
    return figures


def main() -> None:
    """Print and save the numbers of each job, and their sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--job", action="append", default=[])
    parser.add_argument("--replies", type=int, default=3)
    parser.add_argument("--longest", type=int, default=100, help="tokens of a reply")
    parser.add_argument("--show", action="store_true")
    chosen = parser.parse_args()
    if missing := missing_modules():
        print(f"skipped: {', '.join(missing)} are needed (`make careless`)")
        return
    by_job = asyncio.run(measure(chosen.job, chosen.replies, chosen.longest, show=chosen.show))
    sums = Counter[str]()
    for counts in by_job.values():
        sums.update({how: int(counts.get(how, 0)) for how in ("read", "copied", "by rules", "refused")})
    print(f"\nof {sums.total()} replies: {', '.join(f'{number} {how}' for how, number in sums.items())}")
    if not chosen.job:
        save_figures("careless_model", {"replies": sums.total(), **sums, "jobs": by_job})


if __name__ == "__main__":
    main()
