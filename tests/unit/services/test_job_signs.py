"""Tests of the signs of trouble in the sources of a job."""

from dataclasses import replace

from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.sources import Source
from nemuri_services.specialist.answer_job import job_signs

NEWER, OLDER = Source("m1", "ポンプの納期は5日です。"), Source("m2", "ポンプの納期は3日です。")


def test_memories_that_contradict_each_other_are_a_sign() -> None:
    """Two memories with different values for the same thing are a sign of trouble."""
    job = AnswerJob("buyer", "", None, "ポンプの納期は？", (NEWER, OLDER), ())
    assert [sign.kind for sign in job_signs(job)] == ["sources_conflict"]


def test_a_memory_that_a_newer_one_succeeds_is_none() -> None:
    """A memory that is shown as older, with or without a note, does not contradict the newer one."""
    for older in (replace(OLDER, succeeded_by="m1"), replace(OLDER, note="this held until June 2026")):
        job = AnswerJob("buyer", "", None, "ポンプの納期は？", (NEWER, older), ())
        assert job_signs(job) == ()
