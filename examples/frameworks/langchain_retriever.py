"""A retriever of LangChain that returns the memories of an agent.

Needs a running platform (`nemuri up`) and `pip install 'nemuri[langchain]'`. No model is called.
"""

import asyncio

import nemuri
from nemuri.adapters.langchain import MemoryRetriever


async def main(memory: nemuri.Client) -> None:
    """Remember something, and retrieve it as a document."""
    await memory.remember("assistant", "Ann rows on the lake on Tuesdays.", person="Ann", tags=["sport"])
    retriever = MemoryRetriever(agent="assistant", person="Ann", k=3, connection=memory)
    for document in await retriever.ainvoke("When does Ann row?"):
        print(document.page_content, document.metadata["tags"])


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
