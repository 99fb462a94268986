"""A store of LangGraph in the memory of an agent: `builder.compile(store=store)`.

Needs a running platform (`nemuri up`) and `pip install 'nemuri[langgraph]'`. No model is called.
"""

import asyncio

import nemuri
from nemuri.adapters.langgraph import MemoryStore


async def main(memory: nemuri.Client) -> None:
    """Put two items, read one by its key, and find one by what it means."""
    store = MemoryStore("notes", connection=memory)
    await store.aput(("users", "ann"), "food", {"text": "Ann likes noodles with peanuts.", "rank": 1})
    await store.aput(("users", "ann"), "sport", {"text": "Ann rows on the lake on Tuesdays.", "rank": 2}, ttl=60)
    item = await store.aget(("users", "ann"), "food")
    print(item.value["text"] if item else "nothing")
    found = await store.asearch(("users",), query="When does Ann row on the lake?", filter={"rank": {"$gt": 1}})
    print(*(each.value["text"] for each in found))


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
