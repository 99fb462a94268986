"""Questions about documents, from submission to the result: the passages that were read, and those that are cited."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from nemuri_contracts.tasks import TaskAnswered
from nemuri_domain.tasks.read_share import place_of
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

FILLER = "\n\n".join(f"On tour {number} the weather was fair and nothing of note was seen." for number in range(8))
TALK = "\n".join(
    f"{name}: The garden, the weather and the neighbours were talked about." for name in ("Ann", "Bob") * 200
)


@dataclass
class RecordingModel(CountingModel):
    """A model that keeps the jobs of its answers."""

    jobs: list[AnswerJob] = field(default_factory=list)

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Keep the job of an answer, and return the value."""
        if isinstance(job, AnswerJob):
            self.jobs.append(job)
        return await super().do(job)


async def test_a_result_names_document_page_and_section_of_what_it_cites(settings: Settings) -> None:
    """A fact on the last page of a report, and a turn beside one with the words of the question, are cited."""
    pages = [f"## Chapter {number}\n\n{FILLER}" for number in range(1, 81)]
    pages[77] += "\n\nThe boiler was built by Ann in 1931."
    talk = TALK.split("\n")
    talk[310:312] = ["Ann: When was the bakery opened?", "Bob: Two springs ago, after the flood."]
    model = RecordingModel()
    async with (
        running_services(settings, models=Models(model, model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        report = await client.ask("Who built the boiler?", documents=[("report.pdf", "\f".join(pages))])
        bakery = await client.ask("When was the bakery opened?", documents=[("talk.txt", "\n".join(talk))])
        await until_idle(resources)
        events = await effective_events(resources.log)
        await assert_verified(settings)
    first, *_ = [passage for passage in report.passages if passage.cited]
    assert (first.detail.document, first.detail.pages, first.detail.section) == ("report.pdf", (78, 78), "Chapter 78")
    assert place_of(first.detail) == 'report.pdf, p. 78, "Chapter 78"'
    assert f"built by Ann in 1931. [{first.label}]" in (report.answer or "")
    assert not all(passage.cited for passage in report.passages)
    assert "Two springs ago, after the flood." in (bakery.answer or "")
    answered = next(event for event in events if isinstance(event, TaskAnswered) and event.task_id == report.task_id)
    cited = [passage.detail for passage in report.passages if passage.cited]
    assert [answered.details[number - 1] for number in sorted(answered.cited_details)] == cited
    job = next(each for each in model.jobs if "boiler" in each.question)
    assert job.details[0].origin == place_of(first.detail)
    assert "- report.pdf, pp. 71-80: " in job.outline, "key points are there for orientation, with their pages"
