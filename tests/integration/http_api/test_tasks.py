"""Tasks over HTTP: submit, follow, judge and explain."""

import json
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from nemuri.http_api.task_forms import TaskRequest
from nemuri.web.principals import Principal
from nemuri_contracts.client_events import Budget, Setting, TaskSubmitted
from tests.integration.harness import recorded_events, until_idle
from tests.integration.http_api.conftest import ApiPlatform

pytestmark = pytest.mark.connected
Event = tuple[str, str, dict[str, Any]]
"""Id, name and data of an event of a stream."""


async def answered(program: httpx2.AsyncClient, text: str = "What is truth value testing?") -> str:
    """Submit a task, wait for its answer, and return its id."""
    task_id: str = (await program.post("tasks", json={"text": text})).json()["task_id"]
    result = (await program.get(f"tasks/{task_id}", params={"wait": 30})).json()
    assert result["status"] == "done"
    return task_id


async def test_a_task_is_submitted_followed_judged_and_explained(api: ApiPlatform) -> None:
    """A task is accepted with its address; its answer, its reasons, its feedback and its place in the list follow."""
    sent = await api.ann.post("tasks", json={"text": "What is truth value testing?", "agent": "python"})
    task_id = sent.json()["task_id"]
    assert (sent.status_code, sent.headers["location"]) == (202, f"/api/v1/tasks/{task_id}")
    result = await api.ann.get(api.gateway.served.url + sent.headers["location"], params={"wait": 30})
    assert (result.status_code, result.json()["status"], result.json()["agent_id"]) == (200, "done", "python")
    why = (await api.ann.get(f"tasks/{task_id}/why")).json()["explanations"]
    assert [each["agent_id"] for each in why] == ["python"]
    assert (await api.ann.get(f"tasks/{task_id}/routing")).json()["routing"]["choices"][0]["agent_id"] == "python"
    judged = await api.ann.post(f"tasks/{task_id}/feedback", json={"verdict": "helpful"})
    assert (judged.status_code, judged.json()["verdict"]) == (201, "helpful")
    listed = (await api.ann.get("tasks", params={"status": "done", "client": "ann", "containing": "truth"})).json()
    assert [each["task_id"] for each in listed["tasks"]] == [task_id]
    assert listed["next"] is None


async def test_documents_come_inline_or_as_files(api: ApiPlatform) -> None:
    """Documents are texts in the JSON, or files of a form. A file that is no text is refused, and nothing is done."""
    page = "An empty list is false."
    inline = {"text": "Is an empty list true?", "documents": [{"name": "lists.txt", "text": page}]}
    ids = [(await api.ann.post("tasks", json=inline)).json()["task_id"]]
    form = {"text": "Is an empty list true?", "agent": "python"}
    sent = await api.ann.post("tasks", data=form, files={"documents": ("lists.txt", page.encode())})
    assert sent.status_code == 202, sent.text
    ids.append(sent.json()["task_id"])
    for each in ids:
        result = (await api.ann.get(f"tasks/{each}", params={"wait": 30})).json()
        assert "empty list is false" in result["answer"]
    refused = await api.ann.post("tasks", data=form, files={"documents": ("a.bin", b"\xff\xfe")})
    assert (refused.status_code, "'a.bin' is no text" in refused.json()["detail"]) == (409, True)
    refused = await api.ann.post("tasks", data=form, files={"documents": ("a.txt", b"")})
    assert (refused.status_code, "documents.0.text" in refused.json()["detail"]) == (409, True)
    refused = await api.ann.post("tasks", data=form | {"panels": "3"}, files={"documents": ("a.txt", b"x")})
    assert (refused.status_code, "'panels'" in refused.json()["detail"]) == (422, True)
    assert len((await api.ann.get("tasks")).json()["tasks"]) == 2


async def test_a_form_has_the_fields_of_json(api: ApiPlatform) -> None:
    """A task in a form may have each field that one in JSON may have, lists and numbers too. Wrong values are named."""
    form: dict[str, Any] = {
        "text": "Is an empty list true?",
        "agent": "python",
        "summary": "Truth values.",
        "perspective": "semantics",
        "project": "bridge",
        "domains": ["law", "tax"],
        "person": "Ann",
        "conversation": "c-1",
        "deep": "true",
        "budget_tokens": "5000",
        "budget_money": "0.5",
        "question_minutes": "0",
        "streamed": "true",
    }
    files = {"documents": ("lists.txt", b"An empty list is false.")}
    assert {*form, "documents"} == {*TaskRequest.model_fields} - {"panel", "rebuttal"}
    sent = await api.ann.post("tasks", data=form, files=files)
    assert sent.status_code == 202, sent.text
    [task] = [event for event in await recorded_events(api.resources.log) if isinstance(event, TaskSubmitted)]
    assert task.setting == Setting(project="bridge", domains=("law", "tax"), person="Ann")
    assert task.budget == Budget(tokens=5000, money=0.5)
    assert (task.conversation, task.perspective, task.deep, task.question_minutes) == ("c-1", "semantics", True, 0)
    assert task.streamed
    for wrong, said in (({"budget_money": "0"}, "budget_money"), ({"panel": "9"}, "panel"), ({"deep": "x"}, "deep")):
        refused = await api.ann.post("tasks", data=form | wrong, files=files)
        assert (refused.status_code, said in refused.json()["detail"]) == (422, True), refused.text


async def test_a_repeated_submission_with_its_key_has_the_effect_of_one(api: ApiPlatform) -> None:
    """The same key and the same task give the same id; another task under the key is refused. Keys are per client."""
    key, task = {"Idempotency-Key": "order-7"}, {"text": "What is truth value testing?"}
    ids = {(await api.ann.post("tasks", json=task, headers=key)).json()["task_id"] for _ in range(3)}
    assert len(ids) == 1
    other = await api.ann.post("tasks", json={"text": "Is steel hard?"}, headers=key)
    assert (other.status_code, "used for something else" in other.json()["detail"]) == (409, True)
    assert (await api.operator.post("tasks", json=task, headers=key)).json()["task_id"] not in ids
    wrong = await api.ann.post("tasks", json=task, headers={"Idempotency-Key": "two words"})
    assert (wrong.status_code, "Idempotency-Key" in wrong.json()["detail"]) == (422, True)


async def test_the_events_of_a_task_are_streamed_and_resume(api: ApiPlatform) -> None:
    """The stream has every event of the task once, in order, and ends. It resumes after the last event received."""
    task_id = await answered(api.ann)
    await until_idle(api.resources)
    whole = await streamed(api.ann, task_id)
    assert [name for _, name, _ in whole][:2] == ["task_submitted", "task_summarised"]
    assert whole[-1][1:] == ("end", {"task_id": task_id, "status": "done", "attempt": 1})
    numbers = [int(number) for number, _, _ in whole[:-1]]
    assert numbers == sorted({*numbers})
    assert [each["sequence"] for _, _, each in whole[:-1]] == numbers
    resumed = await streamed(api.ann, task_id, str(numbers[3]))
    assert resumed == whole[4:]
    nothing = await api.ann.get(f"tasks/{task_id}/events", headers={"Last-Event-ID": str(numbers[-1])})
    assert (nothing.status_code, nothing.text) == (204, "")


async def streamed(program: httpx2.AsyncClient, task_id: str, last: str | None = None) -> list[Event]:
    """Return the id, the name and the data of every event of a stream."""
    headers = {} if last is None else {"Last-Event-ID": last}
    found = []
    async with program.stream("GET", f"tasks/{task_id}/events", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = "".join([each async for each in answer.aiter_text()])
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "event" in fields:
            found.append((fields.get("id", ""), fields["event"], json.loads(fields["data"])))
    return found


async def test_a_negotiation_is_answered_by_its_own_client_alone(api: ApiPlatform) -> None:
    """A task with too many items waits; its client chooses an option, which another client may not."""
    lamps = "\n".join(f"{number}. What does lamp {number} cost?" for number in range(1, 26))
    task_id = (await api.ann.post("tasks", json={"text": lamps})).json()["task_id"]
    waiting = (await api.ann.get(f"tasks/{task_id}", params={"wait": 30})).json()
    assert waiting["status"] == "negotiation"
    listed = (await api.operator.get("tasks", params={"status": "waiting"})).json()["tasks"]
    assert [each["task_id"] for each in listed] == [task_id]
    async with api.gateway.program(Principal("bob")) as bob:
        refused = await bob.post(f"/api/v1/tasks/{task_id}/choice", json={"option": "all"})
        assert (refused.status_code, "belongs to client ann" in refused.json()["detail"]) == (409, True)
    assert (await api.ann.post(f"tasks/{task_id}/choice", json={"option": "none"})).status_code == 422
    chosen = await api.ann.post(f"tasks/{task_id}/choice", json={"option": "most_important", "items": [1, 2]})
    assert (chosen.status_code, chosen.content) == (204, b"")
    late = await api.ann.post(f"tasks/{task_id}/reply", json={"text": "The first."})
    assert (late.status_code, "waits for no answer" in late.json()["detail"]) == (409, True)


async def test_unknown_tasks_and_wrong_requests_are_named(api: ApiPlatform) -> None:
    """Unknown ids are 404; unknown fields and parameters, wrong types and wrong media are refused by name."""
    unknown = uuid4()
    for path in (f"tasks/{unknown}", f"tasks/{unknown}/why", f"tasks/{unknown}/routing", f"tasks/{unknown}/events"):
        missing = await api.ann.get(path)
        assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
        assert missing.json() == {
            "type": "about:blank",
            "title": "Not Found",
            "status": 404,
            "detail": f"there is no task {unknown}",
            "instance": f"/api/v1/{path}",
        }
    for status, said, sent in (
        (422, "there is no field 'texts'", {"json": {"text": "x", "texts": "y"}}),
        (422, "text: ", {"json": {}}),
        (422, "panel: ", {"json": {"text": "x", "panel": "3"}}),
        (422, "panel: ", {"json": {"text": "x", "panel": 3.5}}),
        (422, "", {"content": b"{", "headers": {"Content-Type": "application/json"}}),
        (415, "application/json", {"content": b"text", "headers": {"Content-Type": "text/plain"}}),
        (409, "text: it is empty", {"json": {"text": "\n"}}),
        (409, "there is no agent 'nobody'", {"json": {"text": "x", "agent": "nobody"}}),
        (413, "longer than", {"content": b" " * (17 * 2**20), "headers": {"Content-Type": "application/json"}}),
    ):
        refused = await api.ann.post("tasks", **sent)
        assert refused.status_code == status, refused.text
        assert said in refused.json()["detail"]
    for status, said, path in (
        (422, "there is no query parameter 'limits'", "tasks?limits=3"),
        (422, "limit: it is given 2 times", "tasks?limit=3&limit=4"),
        (422, "limit: ", "tasks?limit=0"),
        (422, "limit: ", "tasks?limit=many"),
        (422, "status: ", "tasks?status=lost"),
        (404, "there is no page", "tasks?cursor=abc"),
        (422, "task_id: ", "tasks/17"),
        (404, "there is nothing at", "lists"),
    ):
        refused = await api.ann.get(path)
        assert refused.status_code == status, refused.text
        assert said in refused.json()["detail"]
    assert (await api.ann.get("tasks")).json() == {"tasks": [], "next": None}
    wrong_method = await api.ann.put("tasks", json={})
    assert (wrong_method.status_code, {*wrong_method.headers["allow"].split(", ")}) == (405, {"GET", "HEAD", "POST"})


async def test_pages_of_tasks_follow_each_other(api: ApiPlatform) -> None:
    """The cursors lead through all tasks, each once, the newest first."""
    ids = [(await api.ann.post("tasks", json={"text": f"Is {number} odd?"})).json()["task_id"] for number in range(5)]
    found, cursor = [], None
    while True:
        page = (await api.ann.get("tasks", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        found += [each["task_id"] for each in page["tasks"]]
        if (cursor := page["next"]) is None:
            break
    assert found == ids[::-1]
