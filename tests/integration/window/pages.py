"""Reading of pages in tests."""

from collections.abc import AsyncGenerator

import httpx2
from bs4 import BeautifulSoup, Tag

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>"
"""Text that would be dangerous as markup."""


async def page_of(browser: httpx2.AsyncClient, path: str, *, status: int = 200) -> BeautifulSoup:
    """Return the page at a path, after a check of its status."""
    answer = await browser.get(path)
    assert answer.status_code == status, answer.text
    return BeautifulSoup(answer.text, "html.parser")


def links(page: BeautifulSoup | Tag) -> set[str]:
    """Return the addresses of all links."""
    return {str(each["href"]) for each in page.find_all("a", href=True)}


def said(page: BeautifulSoup | Tag) -> str:
    """Return the text of a page, with single spaces."""
    return " ".join(page.get_text(" ").split())


async def stream_of(browser: httpx2.AsyncClient, path: str, **headers: str) -> AsyncGenerator[dict[str, str]]:
    """Yield the messages of a stream of events, each as its fields."""
    async with browser.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        fields: dict[str, str] = {}
        async for line in answer.aiter_lines():
            name, _, value = line.partition(":")
            if not line and fields:
                yield fields
                fields = {}
            elif name:
                fields[name] = "\n".join(filter(None, (fields.get(name), value.removeprefix(" "))))
