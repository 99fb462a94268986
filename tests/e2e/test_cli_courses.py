"""The commands `nemuri teach`, `courses` and `clock`: courses are taught, and the clock makes repetitions due."""

from pathlib import Path
from uuid import UUID

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]
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
    """A textbook with one chapter and two exercises. The chapter answers one of them."""
    file = directory / "pasta.yaml"
    file.write_text(TEXTBOOK, encoding="utf-8")
    return file


def test_teach_prints_a_report(nemuri: CommandLine, textbook: Path) -> None:
    """`teach` prints a report with right and missing answers. Teaching the same textbook again needs `--again`."""
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


def test_courses_shows_a_report(nemuri: CommandLine, textbook: Path) -> None:
    """`courses` lists all courses, or shows one by the first digits of its id, as text and as JSON."""
    begun = nemuri("teach", "cook", textbook, "--again", "--repeating", "fsrs", "--json").json
    courses = nemuri("courses", "cook", "--json").json["courses"]
    assert begun["course_id"] in [course["course_id"] for course in courses]
    one = nemuri("courses", "cook", begun["course_id"][:8], "--json").json["courses"]
    assert [(each["title"], each["repeating"]) for each in one] == [("Pasta", "fsrs")]
    assert len(one[0]["chapters"][0]["details"]) == 2
    assert str(UUID(begun["course_id"])) in nemuri("courses", "cook").out


def test_a_course_is_taught_in_a_project(nemuri: CommandLine, textbook: Path) -> None:
    """A course is taught in the project of the settings. A project together with a domain is refused."""
    begun = nemuri("teach", "cook", textbook, "--again", "--json", NEMURI_PROJECT="gala").json
    [one] = nemuri("courses", "cook", begun["course_id"], "--json").json["courses"]
    assert one["scope"] == {"level": "project", "name": "gala"}
    assert "in project gala" in nemuri("courses", "cook").out
    both = nemuri("teach", "cook", textbook, "--project", "gala", "--domain", "pasta")
    assert (both.code != 0, "not both" in both.err) == (True, True)


def test_a_running_course_cannot_be_started_again(nemuri: CommandLine, directory: Path) -> None:
    """A second course of the same title is refused while the first one runs."""
    file = directory / "long.yaml"
    questions = "".join(f'      - {{question: "Is {n} long?", answer_keywords: [zebra]}}\n' for n in range(30))
    file.write_text(TEXTBOOK.replace("title: Pasta", "title: Long") + questions, encoding="utf-8")
    assert nemuri("teach", "cook", file, "--no-wait").code == 0
    again = nemuri("teach", "cook", file)
    assert again.code == 1
    assert "is being taught 'Long' already" in again.err


def test_the_clock_is_shown_and_moved(nemuri: CommandLine, textbook: Path) -> None:
    """`clock --advance` moves the clock forward by the given time and makes repetitions due."""
    assert nemuri("teach", "cook", textbook, "--again").code == 0
    before = nemuri("clock", "--json").json
    moved = nemuri("clock", "--advance", "36h", "--json").json
    assert moved["now"] > before["now"]
    assert moved["ahead_seconds"] == before["ahead_seconds"] + 36 * 3600
    assert moved["due"] > 0
    assert nemuri("clock").out.endswith("1 day, 12:00:00 ahead of real time\n")
