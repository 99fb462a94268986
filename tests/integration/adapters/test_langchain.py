"""LangChain's retriever, with LangChain's own tests where they are installed."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from nemuri.client.client import Client

pytest.importorskip("langchain_core", reason="the extra langchain is not installed")
from nemuri.adapters.connection import Connection
from nemuri.adapters.langchain import MemoryRetriever

FACTS = (
    "The ferry to Bergen leaves at nine.",
    "The ferry to Turku leaves at ten.",
    "The ferry to Oslo leaves at noon.",
)


@pytest_asyncio.fixture(loop_scope="session")
async def knowing(client: Client) -> Client:
    """A client of an agent that knows three ferries, and one of Ann's."""
    for fact in FACTS:
        await client.remember("assistant", fact, tags=["ferry"], kind="fact", metadata={"port": fact.split()[3]})
    await client.remember("assistant", "Ann takes the ferry at one.", person="Ann")
    return client


async def test_documents_are_memories(knowing: Client) -> None:
    """Return the memories of the person, best first, with ids, scores and properties, as filtered."""
    retriever = MemoryRetriever(agent="assistant", connection=knowing, k=2)
    documents = await retriever.ainvoke("ferry to Turku", kinds=["fact"])
    assert [documents[0].page_content, len(documents)] == [FACTS[1], 2]
    assert documents[0].metadata["metadata"] == {"port": "Turku"}
    assert documents[0].metadata["score"] >= documents[1].metadata["score"]
    assert (await knowing.memory(UUID(documents[0].id))).memory.content == FACTS[1]
    ann = MemoryRetriever(agent="assistant", connection=knowing, person="Ann")
    asked: list[Any] = await asyncio.to_thread(ann.batch, ["When does Ann take the ferry?"])
    assert "Ann takes the ferry at one." in [document.page_content for document in asked[0]]


async def test_it_passes_langchains_own_tests(knowing: Client) -> None:
    """Pass the standard tests of retrievers."""
    suite = pytest.importorskip(
        "langchain_tests.integration_tests.retrievers", reason="langchain-tests is not installed"
    )

    parameters = {"agent": "assistant", "connection": Connection(knowing)}

    class Standard(suite.RetrieversIntegrationTests):  # type: ignore[misc, name-defined]
        retriever_constructor = MemoryRetriever
        retriever_constructor_params = parameters
        retriever_query_example = "When does the ferry leave?"

    tests = Standard()
    retriever = MemoryRetriever(agent="assistant", connection=knowing)
    await asyncio.to_thread(tests.test_k_constructor_param)
    await asyncio.to_thread(tests.test_invoke_with_k_kwarg, retriever)
    await asyncio.to_thread(tests.test_invoke_returns_documents, retriever)
    await tests.test_ainvoke_returns_documents(retriever)
