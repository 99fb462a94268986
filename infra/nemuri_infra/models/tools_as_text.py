"""Calls of tools as text, for models whose servers support no tools."""

import json
from dataclasses import replace

from nemuri_infra.models.chat import ChatRequest, Tool, ToolCall, ToolTurn
from nemuri_infra.models.json_objects import find_objects
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.reply_check import tool_call


def without_tools(request: ChatRequest) -> ChatRequest:
    """Return the request with its tools described in the system message, and earlier calls in the user message."""
    system, user, labels = [request.system], [request.user], list(request.prompts)
    if request.may_call and request.tools:
        part = prompt("tools_as_text").part({"tools": "\n".join(map(_described, request.tools))})
        system.append(part.text)
        labels.append(part.label)
    if request.turns:
        results = [FencedText(f"call {number}", _told(turn)) for number, turn in enumerate(request.turns, 1)]
        part = prompt("tool_results").part({"results": results})
        user.append(part.text)
        labels.append(part.label)
    told, asked = ("\n\n".join(piece for piece in parts if piece) for parts in (system, user))
    return replace(request, system=told, user=asked, tools=(), turns=(), prompts=tuple(labels))


def calls_in_text(text: str, request: ChatRequest) -> tuple[ToolCall, ...]:
    """Return the call that a text consists of, as a tuple; empty if there is none or no call is allowed."""
    if not request.tools or not request.may_call:
        return ()
    for said in find_objects(text):
        if isinstance(said.get("tool"), str):
            call_id = f"call_{len(request.turns) + 1}"
            return (tool_call(call_id, str(said["tool"]), said.get("arguments") or {}, request),)
    return ()


def _described(tool: Tool) -> str:
    return f"- {tool.name}: {tool.description} Arguments: {tool.arguments.text}"


def _told(turn: ToolTurn) -> str:
    call = json.dumps({"tool": turn.call.name, "arguments": turn.call.arguments}, ensure_ascii=False)
    return f"{call}\nResult: {turn.result}"
