"""The toolset for Pydantic AI."""

from typing import Any

import pytest

from nemuri.client.client import Client

pydantic_ai = pytest.importorskip("pydantic_ai", reason="the extra pydantic-ai is not installed")
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart  # noqa: E402
from pydantic_ai.models.function import AgentInfo, FunctionModel  # noqa: E402
from pydantic_ai.models.test import TestModel  # noqa: E402

from nemuri.adapters.connection import Connection  # noqa: E402
from nemuri.adapters.pydantic_ai import memory_toolset  # noqa: E402


async def test_a_model_remembers_and_recalls_by_the_toolset(client: Client) -> None:
    """Offer two described tools, store what the model remembers, and return it to a later recall."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        tools = {tool.name: tool.parameters_json_schema for tool in info.function_tools}
        assert "what is known" in str(info.function_tools[0].description)
        assert tools["recall_memories"]["properties"]["query"]["description"].startswith("What to search for")
        calls = [part.tool_name for message in messages for part in message.parts if isinstance(part, ToolCallPart)]
        match calls:
            case []:
                return ModelResponse([ToolCallPart("remember", {"text": "Ann rows on Tuesdays."})])
            case ["remember"]:
                return ModelResponse([ToolCallPart("recall_memories", {"query": "When does Ann row?"})])
            case _:
                answered: Any = messages[-1].parts[0]
                return ModelResponse([TextPart(str(answered.content))])

    agent = pydantic_ai.Agent(
        FunctionModel(answer), toolsets=[memory_toolset("assistant", person="Ann", connection=client)]
    )
    assert "> Ann rows on Tuesdays." in (await agent.run("When do I row?")).output
    [memory] = await client.memories("assistant")
    assert (memory.memory.content, memory.memory.person) == ("Ann rows on Tuesdays.", "Ann")


async def test_a_failing_memory_is_told_to_the_model(tmp_path: object) -> None:
    """Answer a tool call with the reason in a line, so that the run goes on."""
    connection = Connection(data=str(tmp_path))
    model = TestModel(call_tools=["recall_memories"])
    agent = pydantic_ai.Agent(model, toolsets=[memory_toolset("assistant", connection=connection)])
    assert "The memory does not answer: no platform is ready" in (await agent.run("Hello")).output
    connection.close()
