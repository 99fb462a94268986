"""Each client command has its documented effect and output."""

from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.e2e.conftest import QUESTION, SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]


def test_ask_json_prints_one_object(nemuri: CommandLine) -> None:
    """`ask --json` prints one object with the task, the answer, and the retrieved, used and learned memories."""
    done = nemuri("ask", QUESTION, "--json")
    answer = done.json
    assert (done.code, answer["status"], answer["agent_id"], answer["model"]) == (0, "done", "cook", "extractive")
    assert "salt the water" in answer["answer"]
    assert {"citations", "used", "learned", "task_id"} <= answer.keys()
    assert {"memory_id", "score", "features"} <= answer["retrieved"][0].keys()
    assert answer["used"]


def test_json_is_accepted_before_the_command(nemuri: CommandLine) -> None:
    """`--json` works before the command and after it."""
    nemuri.event_count()  # Wait until no task and no sleep can change the agents any more.
    assert nemuri("--json", "agents").json == nemuri("agents", "--json").json


def test_ask_prints_the_answer_and_its_evidence(nemuri: CommandLine) -> None:
    """`ask` prints the answer and the agent, citations, used memories and learnings, and nothing to stderr."""
    done = nemuri(
        "ask", QUESTION, "--agent", "cook", "--perspective", "taste", "--project", "dinner", "--domain", "food"
    )
    assert done.code == 0
    assert "salt the water" in done.out
    assert [name for name in ("agent ", "cited ", "used ", "learned ") if name not in done.out] == []
    assert done.err == ""


def test_a_submitted_task_is_answered_later(nemuri: CommandLine, tmp_path: Path) -> None:
    """`submit` prints the task's id alone, takes a file with a summary of it, and `result` waits for the task."""
    document = tmp_path / "pasta.md"
    document.write_text("Pasta water is salted. " * 50, encoding="utf-8")
    summary = tmp_path / "summary.txt"
    summary.write_text("A page about salt.", encoding="utf-8")
    asked = ("submit", "How is pasta water treated?", "--file", document, "--summary", summary)
    task = UUID(nemuri(*asked).out.strip())
    assert nemuri("result", str(task), "--json").json["task_id"] == str(task)


def test_too_many_items_are_negotiated(nemuri: CommandLine, tmp_path: Path) -> None:
    """A task with too many items ends `ask` with exit code 4 and prints commands to choose from. Such a command leads
    to the result.
    """
    items = tmp_path / "items.txt"
    items.write_text("\n".join(f"- dish {number}: how long does it boil?" for number in range(30)), encoding="utf-8")
    done = nemuri("ask", "Answer these", "--file", items)
    command = next(line.split() for line in done.out.splitlines() if line.endswith("most_important"))
    assert (done.code, command[:4]) == (4, ["nemuri", "--data", str(nemuri.data), "answer"])
    assert nemuri(*command[3:]).code == 0
    assert nemuri("result", command[4]).code == 0


def test_items_are_chosen_by_number(nemuri: CommandLine, tmp_path: Path) -> None:
    """A client chooses items by their numbers. An unknown number is refused in one line, and the negotiation stays
    open.
    """
    items = tmp_path / "items.txt"
    items.write_text("\n".join(f"- dish {number}: how long does it boil?" for number in range(30)), encoding="utf-8")
    book = tmp_path / "book.txt"
    book.write_text("Dish 1 boils for ten minutes. Dish 29 boils for an hour.", encoding="utf-8")
    asked = nemuri("ask", "Answer these", "--file", items, "--file", book)
    assert "  30. dish 29: how long does it boil?" in asked.out
    task = next(line.split()[4] for line in asked.out.splitlines() if line.endswith("most_important"))
    wrong = nemuri("answer", task, "most_important", "--item", "31")
    assert (wrong.code, len(wrong.err.splitlines())) == (1, 1)
    assert "there is no item 31" in wrong.err
    chosen = nemuri("answer", task, "most_important", "--item", "30", "--item", "2", "--json")
    assert chosen.json == {"task_id": task, "option": "most_important", "items": [30, 2]}
    done = nemuri("result", task)
    assert done.code == 0
    assert done.out.index("dish 29") < done.out.index("dish 1:")
    assert "dish 7" not in done.out


def test_the_question_of_an_agent_is_answered(nemuri: CommandLine) -> None:
    """`ask` prints the agent's question, what it assumes otherwise, and the command to answer, and ends with exit code
    4. The command continues the task. An empty, a second and a needless answer are refused in one line.
    """
    asked = nemuri("ask", "How long is [name] kneaded?", "--agent", "cook")
    assert asked.code == 4, asked.err
    assert "cook asks: The request has “[name]” in place of a word. What should stand there?" in asked.out
    assert "cook assumes: “[name]” stands for any such word." in asked.out
    task = next(line.split()[-2] for line in asked.out.splitlines() if line.endswith("TEXT"))
    assert task in [each["task_id"] for each in nemuri("status", "--json").json["waiting"]]
    assert any(task in line and "for an answer of " in line for line in nemuri("status").out.splitlines())
    empty = nemuri("answer", task, " ")
    assert (empty.code, len(empty.err.splitlines())) == (2, 1)
    assert "ANSWER is empty" in empty.err
    assert nemuri("answer", task, "bread dough", "--json").json == {"task_id": task, "text": "bread dough"}
    done = nemuri("result", task)
    assert (done.code, "ten minutes" in done.out) == (0, True)
    assert task not in nemuri("status").out
    again = nemuri("answer", task, "pasta")
    assert (again.code, len(again.err.splitlines())) == (1, 1)
    assert "waits for no answer: the question of its agent was answered already" in again.err
    told = nemuri("ask", "How long is [name] kneaded?", "--agent", "cook", "--no-questions", "--json").json
    assert (told["status"], told["clarification"]) == ("done", None)
    needless = nemuri("answer", told["task_id"], "pasta")
    assert (needless.code, len(needless.err.splitlines())) == (2, 1)
    assert "has no open question" in needless.err


def test_a_panel_prints_the_merged_answer_and_each_part(nemuri: CommandLine) -> None:
    """A panel prints the merged answer, then the answers side by side. Its JSON holds each of them separately."""
    done = nemuri("ask", QUESTION, "--panel", "2", "--agent", "cook")
    assert done.code == 0, done.err
    beside = done.out.index("## Side by side")
    assert done.out.index("water") < beside < done.out.index("### cook · ", beside)
    assert "cook · craft" in done.out[beside:]
    assert "cook · taste" in done.out[beside:]
    assert "panel    cook as " in done.out
    found = nemuri("ask", QUESTION, "--panel", "2", "--agent", "cook", "--rebuttal", "--json").json["panel"]
    assert sorted(each["perspective"] for each in found["voices"]) == ["craft", "taste"]
    assert {"merged", "dissent", "usage"} <= found.keys()
    assert [each["revision"]["stands"] for each in found["voices"]] == [True, True]
    assert all("without a language model" in each["revision"]["problem"] for each in found["voices"])


def test_a_follow_up_question_uses_its_conversation(nemuri: CommandLine) -> None:
    """A follow-up question is understood from the earlier turns of its conversation, although each is a command of its
    own.
    """
    assert nemuri("ask", "How long is bread dough kneaded?", "--conversation", "dough").code == 0
    found = nemuri("ask", "Why?", "--conversation", "dough", "--json").json
    assert "ten minutes" in found["answer"]
    assert "ten minutes" not in nemuri("ask", "Why?", "--agent", "cook", "--json").json["answer"]


def test_a_timeout_ends_with_exit_code_3(nemuri: CommandLine, tmp_path: Path) -> None:
    """A timed-out `ask` ends with exit code 3 and prints the command that gets the result later."""
    long = tmp_path / "long.txt"  # Reading it takes so many events that the timeout always comes first.
    long.write_text("The water is salted before the pasta goes in. " * 20_000, encoding="utf-8")
    for timeout in ("0.5", "1", "2", "4", "8"):  # On a busy machine even the submission may take longer than the first.
        done = nemuri("ask", QUESTION, "--file", long, "--timeout", timeout)
        assert done.code == 3
        if "was not confirmed" not in done.err:
            break
    assert "nemuri --data" in done.err
    assert " result " in done.err


def test_feedback_is_credited_once(nemuri: CommandLine, task: str) -> None:
    """Feedback is credited to the used memories. Repeated feedback and feedback on an unused memory end with exit code
    1.
    """
    used = nemuri("result", task, "--json").json["used"]
    done = nemuri("feedback", task, "helpful", "--json")
    assert (done.code, done.json["standing"], done.json["memories"]) == (0, "applied", used)
    again = nemuri("feedback", task, "helpful")
    assert (again.code, again.out) == (1, "")
    assert "refused: the same feedback was given before" in again.err
    assert nemuri("feedback", task, "--result", "success").out.startswith(f"credited to {len(used)} memor")
    shown = nemuri("result", task, "--json").json["feedback"]
    assert sorted(each["standing"] for each in shown) == ["applied", "applied", "refused"]
    bread = nemuri("remember", "cook", "Bread dough rests overnight.").out.strip()
    unused = nemuri("feedback", task, "--prevented-error", bread)
    assert (unused.code, "did not use" in unused.err) == (1, True)
    before = nemuri.event_count()
    assert nemuri("feedback", task).code == 1
    assert nemuri.event_count() == before


def test_a_reused_key_with_another_text_is_refused(nemuri: CommandLine) -> None:
    """A task with another text under the key of an earlier task is refused and appends nothing. The same text returns
    the same task.
    """
    task = nemuri("submit", QUESTION, "--key", "eggs").out
    assert nemuri("submit", QUESTION, "--key", "eggs").out == task
    nemuri("result", task.strip(), "--json")
    before = nemuri.event_count()
    for command in ("submit", "ask"):
        done = nemuri(command, "How long does an ostrich egg boil?", "--key", "eggs")
        line = "nemuri: the key 'eggs' was used for something else; choose another key\n"
        assert (done.code, done.out, done.err) == (1, "", line)
    assert nemuri.event_count() == before


def test_agents_are_listed_and_defined_once(nemuri: CommandLine) -> None:
    """Adding the same definition again appends nothing, and `agents` lists the agent's perspectives."""
    before = nemuri.event_count()
    again = nemuri("agent", "add", nemuri.data / "cook.yaml", "--json")
    assert again.json == {"agent_id": "cook", "defined": False, "policy_adopted": False}
    assert nemuri.event_count() == before
    assert "taste, craft" in nemuri("agents").out


def test_a_memory_is_stored_found_and_shown(nemuri: CommandLine) -> None:
    """`remember` prints the memory's id, `recall` finds the memory, and `memory` shows its content, speaker and
    learnings.
    """
    said = ("--tag", "tea", "--said-by", "Ann", "--said-at", "2026-01-02T03:04:05", "--domain", "drinks")
    memory = nemuri("remember", "cook", "green tea wants eighty degrees", "--learning", "craft=not boiling", *said)
    assert memory.code == 0, memory.err
    found = nemuri("recall", "cook", "green tea degrees", "--top", "1", "--domain", "drinks", "--json").json
    assert found["memories"][0]["memory_id"] == memory.out.strip()
    shown = nemuri("memory", memory.out.strip(), "--json").json
    assert (shown["content"], shown["said_by"], shown["learnings"]) == (
        "green tea wants eighty degrees",
        "Ann",
        {"craft": "not boiling"},
    )
    assert memory.out.strip() in nemuri("memories", "cook", "--status", "all").out
    assert nemuri("memories", "cook", "--status", "archived", "--json").json == []


def test_a_contradiction_is_related_and_unrelated(nemuri: CommandLine, tmp_path: Path) -> None:
    """A learning that contradicts a memory is linked to it and marks it as outdated; `unrelate` withdraws that."""
    older = nemuri("remember", "cook", "By craft and taste a goose egg boils for 12 minutes.").out.strip()
    document = tmp_path / "eggs.txt"
    document.write_text("By craft and taste a goose egg boils for 14 minutes.", encoding="utf-8")
    asked = nemuri("ask", "How long does a goose egg boil?", "--file", document, "--json").json
    assert len(asked["learned"]) == 1, asked
    [newer] = asked["learned"]
    assert nemuri("memory", newer, "--json").json["relations"][0]["older"] == older
    assert f"contradicts {older}" in nemuri("memory", newer).out
    assert "(outdated) By craft and taste" in nemuri("recall", "cook", "goose egg").out
    assert nemuri("memory", "unrelate", newer, older, "--json").json["relations"][0]["sort"] == "independent"
    assert nemuri("memory", older, "--json").json["yields_to"] == []
    again = nemuri("memory", "unrelate", newer, older)
    assert (again.code, again.err.count("\n"), "has no relation to" in again.err) == (1, 1, True)


def test_a_repeated_learning_can_be_separated(nemuri: CommandLine, tmp_path: Path) -> None:
    """A document that repeats an unused memory counts as a repetition of it and adds no memory. `separate` makes the
    repetition a memory of its own.
    """
    known = nemuri("remember", "cook", "Every swan egg wants craft.").out.strip()
    files: list[str | Path] = []
    for name, text in (("swans", "Whooper swans brood in May by the lakes."), ("eggs", "Every swan egg wants craft.")):
        (tmp_path / name).with_suffix(".txt").write_text(text, encoding="utf-8")
        files += ["--file", tmp_path / f"{name}.txt"]
    asked = nemuri("ask", "Where do whooper swans brood?", *files)
    assert f"repeated {known}" in asked.out
    task = next(line.split()[1] for line in asked.out.splitlines() if line.startswith("task "))
    made = nemuri("memory", "separate", task, "--memory", known).out.strip()
    assert nemuri("memory", made, "--json").json["content"] == "Every swan egg wants craft."
    nothing = nemuri("memory", "separate", task)
    assert (nothing.code, "did not repeat any memory" in nothing.err) == (1, True)


def test_a_person_changes_the_standing_of_a_memory(nemuri: CommandLine) -> None:
    """A memory is pinned, rescoped and edited, and its history says who asked. A wrong change is refused in a line."""
    known = nemuri("remember", "cook", "The oven of Ann is slow.").out.strip()
    before = nemuri.event_count()
    twice = ("rescope", known, "--universal", "--project", "gala")
    for wrong in (("unpin", known), ("rescope", known), twice, ("split", known)):
        refused = nemuri("memory", *wrong)
        assert (refused.code > 0, refused.err.count("\n")) == (True, 1)
    assert nemuri.event_count() - before == 2, "only the request that was decided is in the log, with its refusal"
    assert nemuri("memory", "pin", known).out.strip() == f"{known} is pinned"
    assert nemuri("memory", "rescope", known, "--project", "gala", "--json").json["scope"]["name"] == "gala"
    assert "(pinned) The oven" in nemuri("memories", "cook").out
    edited = nemuri("memory", "edit", known, "The oven of Ann is fast.", "--json").json
    assert nemuri("memory", known, "--json").json["yields_to"] == [edited["memory_id"]]
    notes = [each["note"] for each in nemuri("memory", "history", known, "--json").json["steps"]]
    assert {"pin by an operator", "rescope to project gala by an operator"} <= set(notes)
    assert "pin by an operator" in nemuri("memory", "history", known).out


def test_a_principle_holds_for_all_agents_until_it_is_retired(nemuri: CommandLine) -> None:
    """An own principle is adopted, listed and retired. An unknown one, or one decided already, is refused in a line."""
    known = nemuri("principles", "add", "Say how long it takes.", "--json").json
    listed = [each for each in nemuri("principles", "--json").json if each["principle_id"] == known["principle_id"]]
    assert [(each["agent_id"], each["standing"]) for each in listed] == [("organisation", "adopted")]
    assert "Say how long it takes." in nemuri("recall", "cook", "oven").out
    for wrong in (("reject", known["principle_id"]), ("adopt", "ffffffff")):
        refused = nemuri("principles", *wrong)
        assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "is retired for organisation" in nemuri("principles", "retire", known["principle_id"][:8]).out
    assert "Say how long it takes." not in nemuri("recall", "cook", "oven").out


def test_an_invalid_memory_is_refused(nemuri: CommandLine, tmp_path: Path) -> None:
    """A memory without words, or with the tag of a principle, is refused in one line."""
    before = nemuri.event_count()
    wordless = nemuri("remember", "cook", "?!")
    assert (wordless.code, wordless.err.count("\n")) == (1, 1)
    assert "is refused: it has no words" in wordless.err
    tagged = nemuri("remember", "cook", "greet every guest", "--tag", "principle")
    assert (tagged.code, tagged.err.count("\n")) == (1, 1)
    assert "only an agent's definition creates principles" in tagged.err
    assert nemuri.event_count() == before


def test_an_invalid_memory_of_a_file_does_not_hold_up_the_others(nemuri: CommandLine, tmp_path: Path) -> None:
    """Each refused memory of a file has a line with its place and the reason. The others are stored."""
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "Saffron is dear."}\n{"content": "…"}\n', encoding="utf-8")
    done = nemuri("import", "jsonl", "cook", lines, "--json")
    assert done.code == 1
    assert done.err.splitlines() == [
        f"{lines}:2 is refused: it has no words",
        "nemuri: 1 of 2 memories is refused; all others are stored",
    ]
    assert (done.json["new"], done.json["refused"]) == (1, {f"{lines}:2": "it has no words"})
    assert "Saffron is dear." in nemuri("memories", "cook", "--containing", "saffron").out


def test_no_relevant_memory_is_reported(nemuri: CommandLine) -> None:
    """`recall` and `ask` report if no memory is relevant, not even in the archive."""
    elsewhere = "Who painted the ceiling above the emperor's throne in Vienna?"
    found = nemuri("recall", "cook", elsewhere, "--deep", "--json")
    assert (found.code, found.json["memories"], found.json["deep"]) == (0, [], True)
    assert "no relevant memory, neither active nor archived" in nemuri("recall", "cook", elsewhere).out
    assert "no relevant memory" in nemuri("ask", elsewhere, "--deep", "--agent", "cook").out


def test_why_shows_routing_scores_and_features(nemuri: CommandLine, task: str) -> None:
    """`why` shows the scores of routing, and nine features with their contributions, as a table and as JSON."""
    done = nemuri("why", task)
    assert (done.code, "always in mind" in done.out, "decided by" in done.out) == (0, False, True)
    assert "the score minus that of the mean candidate" in done.out
    assert "[m1] used" in done.out
    assert done.out.split()[:6] == ["agent", "expertise", "history", "load", "total", "chosen"]
    assert "memories of similar past tasks" in done.out
    found = nemuri("why", task, "--json").json
    assert found["routing"]["choices"][0]["agent_id"] == found["routing"]["scores"][0]["agent_id"] == "cook"
    [explanation] = found["retrievals"]
    first = explanation["candidates"][0]
    assert first["features"].keys() == first["contributions"].keys()
    assert len(first["features"]) == 9
    assert "there is no task" in nemuri("why", str(uuid4())).err


def test_ids_may_be_abbreviated(nemuri: CommandLine, task: str) -> None:
    """The first digits of an id are accepted for a task or a memory, as an argument and as an option, also in
    capitals.
    """
    found = nemuri("result", task[:8], "--json").json
    assert found["task_id"] == task
    memory = found["used"][0]
    assert nemuri("memory", memory[:8].upper(), "--json").json["memory_id"] == memory
    other = nemuri("memory", "separate", task[:6], "--memory", memory[:6])
    assert f"task {task} did not repeat memory {memory}" in other.err
    assert f"task {task} has its answer" in nemuri("dead", "retry", task[:8]).err
    missing = nemuri("memory", "ffffff")
    assert missing.err == "nemuri: there is no memory whose id begins with ffffff\n"


def test_a_narrow_table_keeps_its_width(nemuri: CommandLine) -> None:
    """At 80 columns no line of `memories` is longer than 80 characters or ends with spaces."""
    header, *lines = nemuri("memories", "cook", COLUMNS="80").out.splitlines()
    assert (header.split()[0], header.split()[-1], "seen" in header) == ("memory", "content", False)
    assert [line for line in lines if len(line) > 80 or line != line.rstrip()] == []


def test_nemuri_project_is_the_default_scope(nemuri: CommandLine, tmp_path: Path) -> None:
    """NEMURI_PROJECT is the default of `--project`, also for the lines of a file. It limits `memo` to that project."""
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "the cellar has a zither", "tags": ["zither"]}\n')
    assert nemuri("import", "jsonl", "cook", lines, NEMURI_PROJECT="gala").code == 0
    [known] = nemuri("memories", "cook", "--containing", "zither", "--json").json
    assert known["scope"] == {"level": "project", "name": "gala"}
    assert "zither" in nemuri("memo", "cook", NEMURI_PROJECT="gala").out
    assert "zither" in nemuri("memo", "cook", "--project", "gala").out
    assert "zither" not in nemuri("memo", "cook").out
    memory = nemuri("remember", "cook", "the guests eat no nuts", NEMURI_PROJECT="dinner").out.strip()
    assert nemuri("memory", memory, "--json").json["scope"] == {"level": "project", "name": "dinner"}
