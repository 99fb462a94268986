"""Teaching on the command line."""

from pathlib import Path
from uuid import UUID

import pytest

from tests.e2e.conftest import TOGETHER, CommandLine

pytestmark = [pytest.mark.connected, TOGETHER]
TEXTBOOK = """\
title: Pasta
perspective: craft
chapters:
  - title: Water
    sections:
      - {title: Salt, text: Salted water seasons pasta from within while it boils.}
    test_questions:
      - {question: "What seasons pasta from within?", answer: Salted water does., answer_keywords: [salted water]}
      - {question: "How long is spaghetti?", answer_keywords: [zebra]}
"""


@pytest.fixture(scope="session")
def textbook(directory: Path) -> Path:
    """A textbook of one chapter, with one exercise that it answers."""
    file = directory / "pasta.yaml"
    file.write_text(TEXTBOOK, encoding="utf-8")
    return file


def test_teaching_ends_with_a_school_report(nemuri: CommandLine, textbook: Path) -> None:
    """What was read, slept over, right and wrong; then by exercise what was missing and reviewed."""
    done = nemuri("teach", "cook", textbook)
    assert (done.code, done.err) == (0, "")
    assert "Pasta" in done.out
    assert "finished on" in done.out
    assert "right  " in done.out
    assert "missing: zebra" in done.out
    assert "answered: " in done.out
    twice = nemuri("teach", "cook", textbook)
    assert (twice.code, twice.out) == (1, "")
    assert "--again teaches it once more" in twice.err


def test_a_report_can_be_seen_later(nemuri: CommandLine, textbook: Path) -> None:
    """All courses in short, or one by the start of its id; as JSON for programs."""
    begun = nemuri("teach", "cook", textbook, "--again", "--repeating", "fsrs", "--json").json
    courses = nemuri("courses", "cook", "--json").json["courses"]
    assert begun["course_id"] in [each["course_id"] for each in courses]
    one = nemuri("courses", "cook", begun["course_id"][:8], "--json").json["courses"]
    assert [(each["title"], each["repeating"]) for each in one] == [("Pasta", "fsrs")]
    assert len(one[0]["chapters"][0]["details"]) == 2
    assert str(UUID(begun["course_id"])) in nemuri("courses", "cook").out


def test_a_course_is_taught_in_a_project(nemuri: CommandLine, textbook: Path) -> None:
    """Named by the option or by the settings; never in a project and a domain at once."""
    begun = nemuri("teach", "cook", textbook, "--again", "--json", NEMURI_PROJECT="gala").json
    [one] = nemuri("courses", "cook", begun["course_id"], "--json").json["courses"]
    assert one["scope"] == {"level": "project", "name": "gala"}
    assert "in project gala" in nemuri("courses", "cook").out
    both = nemuri("teach", "cook", textbook, "--project", "gala", "--domain", "pasta")
    assert (both.code != 0, "not both" in both.err) == (True, True)


def test_a_course_is_not_begun_twice_at_once(nemuri: CommandLine, directory: Path) -> None:
    """A second one of the same title waits for the first."""
    file = directory / "long.yaml"
    questions = "".join(f'      - {{question: "Is {n} long?", answer_keywords: [zebra]}}\n' for n in range(30))
    file.write_text(TEXTBOOK.replace("title: Pasta", "title: Long") + questions, encoding="utf-8")
    assert nemuri("teach", "cook", file, "--no-wait").code == 0
    again = nemuri("teach", "cook", file)
    assert again.code == 1
    assert "is being taught 'Long' already" in again.err


def test_the_clock_is_shown_and_moved(nemuri: CommandLine, textbook: Path) -> None:
    """Forward only, for everybody."""
    assert nemuri("teach", "cook", textbook, "--again").code == 0
    before = nemuri("clock", "--json").json
    moved = nemuri("clock", "--advance", "36h", "--json").json
    assert moved["now"] > before["now"]
    assert moved["ahead_seconds"] == before["ahead_seconds"] + 36 * 3600
    assert moved["due"] > 0
    assert nemuri("clock").out.endswith("1 day, 12:00:00 ahead of real time\n")
