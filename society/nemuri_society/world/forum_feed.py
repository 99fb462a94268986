"""An agent's view of a forum: its feed, and the commands that it can give."""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

from nemuri_society.contracts.world_protocol import Notice, Possible
from nemuri_society.world.forum_board import FORMS, FORUM_ACTIONS, Board, Post

ANSWERS, FOLLOWED, BEST, NEWEST, OWN = 4, 6, 3, 3, 2
"""Maximum numbers of posts in a feed: replies to the agent, posts of those whom it follows, the best voted of all, the
newest of all, and its own.
"""
RECENT: Final = 500
"""Number of the newest posts of which a feed is made."""
MAX_CHOICES: Final = 8
"""Maximum number of choices that are listed for a command."""


def best_posts(board: Board) -> list[Post]:
    """Return the best voted of the recent posts, the best first. They are the same for everybody."""
    voted = [post for post in _recent(board) if post.score > 0]
    return sorted(voted, key=lambda post: (-post.score, -post.number))[:BEST]


def feed(board: Board, agent_id: str, best: Iterable[Post]) -> list[Post]:
    """Return the posts that stand before an agent, each once: replies to it, the newest of those whom it follows, the
    best voted of all, the newest of all, and its own.
    """
    recent, follows = _recent(board), board.members[agent_id].follows
    others = [post for post in recent if post.author != agent_id]
    answers = [post for post in others if _author_of(board, post.parent) == agent_id]
    parts = (
        answers[:ANSWERS],
        [post for post in others if post.author in follows][:FOLLOWED],
        [post for post in best if post.author != agent_id],
        others[:NEWEST],
        [post for post in recent if post.author == agent_id][:OWN],
    )
    return list({post.number: post for part in parts for post in part}.values())


def board_notices(board: Board, agent_id: str, best: Iterable[Post]) -> tuple[Notice, ...]:
    """Return a line about the agent's standing, then its feed."""
    member = board.members[agent_id]
    follows = ", ".join(board.members[other].name for other in member.follows[-MAX_CHOICES:]) or "nobody"
    standing = f"your karma: {board.karma(agent_id)}; your followers: {len(board.followers(agent_id))}; you follow: "
    posts = [Notice(about=_about(board, agent_id, post), words=post.text) for post in feed(board, agent_id, best)]
    return (Notice(about=f"{standing}{follows}"[:200]), *posts)


def possible_commands(
    board: Board, agent_id: str, best: Iterable[Post], allowed: Collection[str] | None
) -> tuple[Possible, ...]:
    """Return the commands of a forum, with what an agent can choose now by what stands before it. `allowed` names the
    allowed actions; None allows all.
    """
    others = [post for post in feed(board, agent_id, best) if post.author != agent_id]
    unvoted = [post.number for post in others if agent_id not in post.votes]
    follows = board.members[agent_id].follows
    strangers = dict.fromkeys([*(post.author for post in others), *board.members])
    names = {other: board.members[other].name for other in strangers if other != agent_id}
    choices = {
        "post TEXT": ["post TEXT"],
        "reply to NUMBER: TEXT": [f"reply to {post.number}: TEXT" for post in others],
        "vote up NUMBER": [f"vote up {number}" for number in unvoted],
        "vote down NUMBER": [f"vote down {number}" for number in unvoted],
        "follow NAME": [f"follow {name}" for other, name in names.items() if other not in follows],
        "unfollow NAME": [f"unfollow {board.members[other].name}" for other in follows],
    }
    return tuple(
        _possible(form, name, choices[form]) for form, name in FORMS.items() if allowed is None or name in allowed
    )


def _possible(form: str, name: str, choices: list[str]) -> Possible:
    rule = next(rule for rule in FORUM_ACTIONS if rule.name == name)
    return Possible(command=form, does=rule.does, needs=rule.needs, choices=tuple(choices[:MAX_CHOICES]))


def _about(board: Board, agent_id: str, post: Post) -> str:
    author = "you" if post.author == agent_id else board.members[post.author].name
    votes = f"{post.score} vote{'' if abs(post.score) == 1 else 's'}"
    if post.parent is None:
        return f"post {post.number} by {author}, {votes}"
    whose = "your " if _author_of(board, post.parent) == agent_id else ""
    return f"post {post.number} by {author}, {votes}, in reply to {whose}post {post.parent}"


def _author_of(board: Board, number: int | None) -> str | None:
    post = board.posts.get(number or 0)
    return None if post is None else post.author


def _recent(board: Board) -> list[Post]:
    """Return the newest posts, newest first."""
    return list(islice(reversed(board.posts.values()), RECENT))
