"""The board of a forum: posts, votes and follows, and the commands that change them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

from nemuri_society.world.society_world import ActionRule

POST_LIMIT: Final = 280
"""Maximum length of a post, in characters."""
MAX_POSTS: Final = 10_000
"""Maximum number of posts. The oldest are dropped."""


class RefusedError(ValueError):
    """Raised if a command cannot be carried out. The message tells the agent why, in one line."""


@dataclass(slots=True)
class Post:
    """A post, or a reply to one."""

    number: int
    author: str
    """Id of its author."""
    text: str
    second: float
    parent: int | None = None
    """Number of the post to which it replies; None for a post of its own."""
    votes: dict[str, int] = field(default_factory=dict)
    """1 or -1 by the id of the agent that voted."""

    @property
    def score(self) -> int:
        """Votes for it minus votes against it."""
        return sum(self.votes.values())


@dataclass(slots=True)
class Member:
    """An agent on the forum, present or not."""

    name: str
    follows: list[str] = field(default_factory=list)
    """Ids of the agents that it follows, in the order in which it began."""
    present: bool = True


@dataclass(frozen=True, slots=True)
class Event:
    """The effect of a command: a new post, or a deed towards another agent."""

    post: Post | None = None
    deed: str = ""
    """Words that follow the name of who did it, such as "voted for post 12 of YOU"."""
    towards: str = ""
    """Id of the other agent."""


@dataclass(slots=True)
class Board:
    """All posts, votes and follows."""

    members: dict[str, Member] = field(default_factory=dict)
    """Members by id."""
    posts: dict[int, Post] = field(default_factory=dict)
    """Posts by number, oldest first."""
    last_number: int = 0

    @classmethod
    def load(cls, values: dict[str, Any]) -> Self:
        """Return the board with the values of `values`. Raises LookupError or TypeError for others."""
        return cls(
            {agent_id: Member(**member) for agent_id, member in values["members"].items()},
            {post["number"]: Post(**post) for post in values["posts"]},
            values["last_number"],
        )

    def values(self) -> dict[str, Any]:
        """Return the board as JSON values."""
        return {
            "members": {agent_id: asdict(member) for agent_id, member in self.members.items()},
            "posts": [asdict(post) for post in self.posts.values()],
            "last_number": self.last_number,
        }

    def karma(self, agent_id: str) -> int:
        """Return the sum of the scores of an agent's posts."""
        return sum(post.score for post in self.posts.values() if post.author == agent_id)

    def followers(self, agent_id: str) -> list[str]:
        """Return the ids of the agents that follow an agent."""
        return [other for other, member in self.members.items() if agent_id in member.follows]

    def carry_out(self, agent_id: str, command: str, second: float) -> Event:
        """Carry out a command of an agent, and return what it did. Raises `RefusedError` and changes nothing if its
        preconditions are not met.
        """
        for pattern, perform in _COMMANDS:
            if (found := pattern.fullmatch(command.strip())) is not None:
                return perform(self, agent_id, second, *found.groups())
        raise RefusedError(f"the forum does not know this command; there are: {'; '.join(FORMS)}")

    def publish(self, agent_id: str, second: float, text: str, parent: int | None = None) -> Event:
        """Add a post. Raises `RefusedError` if it has no words or too many."""
        words = " ".join(text.strip().strip('"').split())
        if not words:
            raise RefusedError("a post needs words")
        if len(words) > POST_LIMIT:
            raise RefusedError(f"a post has at most {POST_LIMIT} characters, and this one has {len(words)}")
        self.last_number += 1
        post = self.posts[self.last_number] = Post(self.last_number, agent_id, words, second, parent)
        if len(self.posts) > MAX_POSTS:
            del self.posts[min(self.posts)]
        return Event(post)

    def reply(self, agent_id: str, second: float, number: str, text: str) -> Event:
        """Add a reply to the post with a number. Raises `RefusedError` as `publish`, or if there is no such post."""
        return self.publish(agent_id, second, text, self._post(number).number)

    def vote(self, agent_id: str, second: float, way: str, number: str) -> Event:  # noqa: ARG002 - votes have no time
        """Vote `up` or `down` on a post. Raises `RefusedError` for an agent's own posts and for a second vote."""
        post = self._post(number)
        if post.author == agent_id:
            raise RefusedError(f"post {post.number} is your own, and nobody votes on their own posts")
        if agent_id in post.votes:
            raise RefusedError(f"you have voted on post {post.number} already")
        post.votes[agent_id] = 1 if way.casefold() == "up" else -1
        deed = f"voted {'for' if post.votes[agent_id] > 0 else 'against'} post {post.number} of YOU"
        return Event(deed=deed, towards=post.author)

    def follow(self, agent_id: str, second: float, name: str) -> Event:  # noqa: ARG002 - follows have no time
        """Follow the member with a name. Raises `RefusedError` for oneself and for those followed already."""
        other = self._member(name)
        if other == agent_id:
            raise RefusedError("nobody follows themselves")
        if other in self.members[agent_id].follows:
            raise RefusedError(f"you follow {self.members[other].name} already")
        self.members[agent_id].follows.append(other)
        return Event(deed="began to follow YOU", towards=other)

    def unfollow(self, agent_id: str, second: float, name: str) -> Event:  # noqa: ARG002 - as above
        """Follow a member no longer. Raises `RefusedError` if the agent does not follow it."""
        other = self._member(name)
        if other not in self.members[agent_id].follows:
            raise RefusedError(f"you do not follow {self.members[other].name}")
        self.members[agent_id].follows.remove(other)
        return Event(deed="ceased to follow YOU", towards=other)

    def _post(self, number: str) -> Post:
        post = self.posts.get(int(number))
        if post is None:
            raise RefusedError(f"there is no post {number}")
        return post

    def _member(self, name: str) -> str:
        wanted = name.strip().strip(".,!\"'").casefold()
        found = next((other for other, member in self.members.items() if member.name.casefold() == wanted), None)
        if found is None:
            raise RefusedError(f"nobody on the forum is called {name.strip()}")
        return found


def _command(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


FORUM_ACTIONS: Final = (
    ActionRule(
        "post",
        f"publishes a post of at most {POST_LIMIT} characters, which your followers read; so does what you say aloud",
    ),
    ActionRule("reply", "answers a post; its author and your followers read it", "a post that is still there"),
    ActionRule(
        "vote",
        "raises or lowers the votes of a post and the karma of its author by one",
        "a post of somebody else on which you have not voted",
    ),
    ActionRule("follow", "lets you read what somebody posts from now on", "somebody else whom you do not follow yet"),
    ActionRule("unfollow", "ends your following of somebody", "somebody whom you follow"),
    ActionRule("say", "publishes a post"),
    ActionRule("rest", "does nothing for some seconds"),
)
"""The actions of a forum."""
FORMS: Final = {
    "post TEXT": "post",
    "reply to NUMBER: TEXT": "reply",
    "vote up NUMBER": "vote",
    "vote down NUMBER": "vote",
    "follow NAME": "follow",
    "unfollow NAME": "unfollow",
}
"""The action of each form of a command. Words in capitals stand for what the agent chooses."""
_COMMANDS: Final[Iterable[tuple[re.Pattern[str], Callable[..., Event]]]] = (
    (_command(r"post\b[\s:]*(.*)"), Board.publish),
    (_command(r"reply\s+(?:to\s+)?(?:post\s+)?#?(\d{1,9})\b[\s:,]*(.*)"), Board.reply),
    (_command(r"vote\s+(up|down)\s+(?:on\s+)?(?:post\s+)?#?(\d{1,9})\W*"), Board.vote),
    (_command(r"follow\s+(.+)"), Board.follow),
    (_command(r"unfollow\s+(.+)"), Board.unfollow),
)
