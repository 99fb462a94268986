"""Files of runs: what was written before a kill counts, and no reply is paid for twice."""

from pathlib import Path

import pytest

from nemuri.evaluation.contexts import ARMS
from nemuri.evaluation.line_file import LineFile
from nemuri.evaluation.models import RecordedChat, ReplyRecord, RunModels, UnknownModelError
from nemuri.evaluation.results import ArmResult, HistoryResult, QuestionResult, Results
from nemuri.evaluation.run import OtherRunError, RunDescription, RunDirectory
from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.models.settings import ModelSettings

DESCRIPTION = RunDescription(
    benchmark="locomo", files=("f",), models={}, embedder="built-in", arms=ARMS, top=50, tokens=2_000, seed=1,
    limit=None, kinds=(),
)  # fmt: skip


class Counting:
    """A chat that counts its calls, and fails at some."""

    name = "provider:model"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Answer with the number of the call; fail if the user says so."""
        self.asked.append(request.user)
        if request.user == "fail":
            raise ModelUnavailable("down")
        return Reply(ChatReply(f"reply {len(self.asked)}", {"n": 1}), Usage(model="m", input_tokens=3))

    async def aclose(self) -> None:
        """Close nothing."""


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    """After a kill within a line, the lines before it count, and the next one is written in its place."""
    file = LineFile(tmp_path / "lines")
    assert file.lines() == []
    file.add("one ✓")
    file.path.write_bytes(file.path.read_bytes() + "two ✓".encode()[:-1])
    assert file.lines() == ["one ✓"]
    file.add("three")
    assert LineFile(file.path).lines() == ["one ✓", "three"]


async def test_a_request_is_answered_once(tmp_path: Path) -> None:
    """An equal request gets the recorded reply, also in the next run; other requests and failures are asked again."""
    chat, file = Counting(), LineFile(tmp_path / "replies")
    recorded = RecordedChat(chat, ReplyRecord.of(file))
    first = await recorded.complete(ChatRequest("s", "u", 10))
    assert await recorded.complete(ChatRequest("s", "u", 10)) == first
    later = RecordedChat(chat, ReplyRecord.of(file))
    assert await later.complete(ChatRequest("s", "u", 10)) == first
    assert chat.asked == ["u"]
    assert (await later.complete(ChatRequest("other", "u", 10))).value.text == "reply 2"
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await later.complete(ChatRequest("s", "fail", 10))
    assert chat.asked == ["u", "u", "fail", "fail"]
    assert [usage.input_tokens for usage in later.usages] == [3, 3]


def test_results_are_read_back(tmp_path: Path) -> None:
    """Results of questions and of histories are told apart in one file; the last one of a history counts."""
    file = LineFile(tmp_path / "results")
    results = Results.of(file)
    asked = QuestionResult(question_id="q", kind="k", question="?", right="!", arms=(ArmResult(arm="bm25", tokens=3),))
    for seconds in (1.0, 2.0):
        results.add(HistoryResult(history_id="h", messages=3, seconds=seconds))
    results.add(asked)
    again = Results.of(file)
    assert again.questions == {"q": asked}
    assert again.histories["h"].seconds == 2.0


def test_runs_are_not_mixed(tmp_path: Path) -> None:
    """A directory goes on with the same run, and is refused to another one, which is told what differs."""
    RunDirectory.opened(tmp_path, DESCRIPTION)
    RunDirectory.opened(tmp_path, DESCRIPTION)
    with pytest.raises(OtherRunError, match="tokens, seed"):
        RunDirectory.opened(tmp_path, DESCRIPTION.model_copy(update={"tokens": 1_000, "seed": 2}))


@pytest.mark.parametrize("name", ["gpt-x", "openai:gpt-x", "nosuch:gpt-x"])
def test_a_model_needs_a_provider(tmp_path: Path, name: str) -> None:
    """A model whose provider is unknown or has no key is refused, and the message says how models are named."""
    record = ReplyRecord.of(LineFile(tmp_path / "replies"))
    with pytest.raises(UnknownModelError, match="PROVIDER:MODEL"):
        RunModels.of({"reader": name}, ModelSettings(), record)
