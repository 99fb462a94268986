"""Conversion of a textbook's chapter to memories, each with the learning of its section (document 000 §4.1)."""

import asyncio

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.education import LEARNING_CHARACTERS, Section
from nemuri_contracts.event import Usage
from nemuri_contracts.strength import NewMemory, Origin
from nemuri_domain.education.course import Course
from nemuri_domain.language.keywords import keywords
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.memory_content import embedded_text, new_memory
from nemuri_domain.tasks.fan_in import shortened
from nemuri_infra.models.jobs.section_note import SectionJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.runtime.resources import Resources

TAG = 200
"""Maximum characters of a section's title when it is used as a tag."""


async def read(course: Course, chapter: int, agent: Agent, resources: Resources) -> tuple[list[NewMemory], Usage]:
    """Return the memories of a chapter, one for each section, and the usage of the model. The memories' vectors are
    stored.
    """
    sections = course.textbook.chapters[chapter].sections
    found = await asyncio.gather(
        *(_learned(section, course.textbook.perspective, agent, resources) for section in sections)
    )
    contents = [
        MemoryContent(
            content=section.text,
            tags=tuple(dict.fromkeys((section.title[:TAG].strip(), *keywords(f"{section.title}\n{section.text}")))),
            learnings=learnings,
            scope=course.scope,
        )
        for section, (learnings, _) in zip(sections, found, strict=True)
    ]
    texts, vectors = (
        [embedded_text(content) for content in contents],
        resources.vectors.with_embedder_of(agent.embedding),
    )
    await vectors.store_missing(texts)
    origin = Origin(textbook=course.textbook.title)
    faint = {"strength": agent.rules.initial_strength_education}  # low: a memory that was only read was not used yet
    memories = [
        new_memory(agent, content, vectors.key(text), origin=origin).model_copy(update=faint)
        for content, text in zip(contents, texts, strict=True)
    ]
    return memories, Usage.together(usage for _, usage in found)


async def _learned(
    section: Section, perspective: str | None, agent: Agent, resources: Resources
) -> tuple[dict[str, str], Usage]:
    """Return the learning of a section under the textbook's perspective, and the usage of the model.

    There is no learning if the textbook has no perspective or the model refuses.
    """
    model = resources.models.main
    if perspective is None:
        return {}, Usage(model=model.name)
    words = {view.name: view.keywords for view in agent.definition.perspectives}
    job = SectionJob(
        role=agent.definition.role,
        perspective=perspective,
        keywords=words.get(perspective, ()),
        title=section.title,
        text=section.text,
    )
    reply = await reply_or_none(model, job, "nothing learned")
    if reply is None:
        return {}, Usage(model=model.name)
    return {perspective: shortened(reply.value, LEARNING_CHARACTERS)} if reply.value else {}, reply.usage
