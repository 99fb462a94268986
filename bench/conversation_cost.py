"""What a conversation of 10,000 characters costs: calls, tokens, money and seconds.

    python -m bench.conversation_cost
    python -m bench.conversation_cost --characters 100000 --input-price 0.25 --output-price 2

The same conversation is handed to `converse` twice: without a language model, and with a stand-in that notes what
people say of themselves and knows only what its prompt says. The time ends when nothing is left to do for any service,
so that everything that follows from the facts is counted too. Tokens are estimated as the platform estimates them. The
prices are those of `NEMURI_MODEL_PRICES` for the light model, or the given ones, for a million tokens; without prices
no money is shown. Seconds are those of the platform in memory: a real model's own time comes on top.
"""

import argparse
import asyncio
import time
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any, Final

from tests.integration.conversation_model import ConversationModel

import nemuri
from bench.measuring import save_figures, table
from nemuri_contracts.conversations import STRETCH_TURNS
from nemuri_infra.models import network_guard
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.settings import Price
from nemuri_infra.runtime.settings import Settings

PERSON: Final = "Ann"
SAID: Final = (
    ("I moved into house {} in Bergen in May, and the flat is small. What would you put on the wall?", "A mirror."),
    ("Good idea, thanks! I work at quay {} of the harbour on Tuesdays.", "Then Wednesday suits you."),
    ("Yes. I like my answers short, please keep them to {} lines.", "I will."),
    ("Can you explain how tides work? They are strange here.", "The moon pulls the water, twice a day."),
    ("Ha, I see. I plan to buy used boat number {} in spring.", "Look at the hull first, and at the papers."),
    ("I cannot eat nuts. What could I cook for {} people on Sunday?", "A fish soup with carrots and cream."),
    ("That sounds great. I have a cousin at number {} who brings the bread.", "Then you need only butter."),
)
"""What a person says, with a number that grows, and what the assistant replies."""


def conversation(characters: int) -> list[dict[str, object]]:
    """Return messages with at least so many characters together, of one person with an assistant."""
    messages: list[dict[str, object]] = []
    at, length = datetime(2026, 5, 4, 9, tzinfo=UTC), 0
    for number, (said, reply) in enumerate(cycle(SAID)):
        if length >= characters:
            return messages
        words = said.format(number // len(SAID) + 2)
        at += timedelta(hours=3)
        messages.append({"role": "user", "name": PERSON, "content": words, "at": at.isoformat()})
        messages.append({"role": "assistant", "content": reply, "at": at.isoformat()})
        length += len(words) + len(reply)
    return messages


async def costs(characters: int, model: ConversationModel | None, price: Price | None) -> dict[str, Any]:
    """Return the cost of handing over a conversation of so many characters, with a stand-in or without a model."""
    messages = conversation(characters)
    models = model.models() if model else Models(ExtractiveModel(), ExtractiveModel())
    async with nemuri.in_memory(models=models) as platform:
        await platform.define("helper", role="helper", description="daily life")
        began = time.perf_counter()
        learned = await platform.client("bench").converse("helper", messages, conversation="chat")
        await platform.services.settled()
        seconds = time.perf_counter() - began
    figures: dict[str, Any] = {
        "characters": sum(len(str(message["content"])) for message in messages),
        "turns": learned.new_turns,
        "stretches": -(-learned.new_turns // STRETCH_TURNS),
        "facts": len(learned.facts),
        "calls": 0,
        "seconds": round(seconds, 2),
    }
    return figures | (_spent(model, price) if model else {})


def _spent(model: ConversationModel, price: Price | None) -> dict[str, Any]:
    spent = model.spent
    tokens = {"input_tokens": spent.input_tokens, "output_tokens": spent.output_tokens}
    calls = {"calls": spent.reading + spent.other, "calls to read": spent.reading, "calls to judge": spent.other}
    if price is None:
        return calls | tokens
    money = (price.input * spent.input_tokens + price.output * spent.output_tokens) / 1_000_000
    return calls | tokens | {"money": round(money, 6)}


def operators_price() -> Price | None:
    """Return the price of the light model in the operator's list; None if it has none."""
    settings = Settings().model_settings()
    names = (provider.chosen_model(light=True) for provider in settings.installed.values())
    return next((settings.prices[name] for name in names if name in settings.prices), None)


async def measure(characters: int, price: Price | None) -> dict[str, dict[str, Any]]:
    """Return the costs of both paths by name."""
    async with ConversationModel() as model:
        return {
            "no model": await costs(characters, None, None),
            "one call a stretch": await costs(characters, model, price),
        }


def main() -> None:
    """Print and save the costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--characters", type=int, default=10_000)
    parser.add_argument("--input-price", type=float, help="for a million tokens")
    parser.add_argument("--output-price", type=float, help="for a million tokens")
    chosen = parser.parse_args()
    network_guard.ALLOW_MODEL_CALLS = False
    given = chosen.input_price is not None and chosen.output_price is not None
    price = Price(input=chosen.input_price, output=chosen.output_price) if given else operators_price()
    paths = asyncio.run(measure(chosen.characters, price))
    names = list(paths["one call a stretch"])
    print(table([("", *paths), *((name, *(figures.get(name, "–") for figures in paths.values())) for name in names)]))
    save_figures("conversation_cost", paths)


if __name__ == "__main__":
    main()
