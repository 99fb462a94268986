"""A forum: agents post, reply, follow each other and vote. Speech is posting. Equal acts give equal forums."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from nemuri_society.contracts.society import Society
from nemuri_society.contracts.world_protocol import Act, Action, Deed, Do, Outcome, Percept, Rest, Say, Utterance
from nemuri_society.world.forum_board import FORUM_ACTIONS, Board, Event, Member, Post, RefusedError
from nemuri_society.world.forum_feed import best_posts, board_notices, possible_commands
from nemuri_society.world.refusal_reasons import DONE, FORBIDDEN, LEFT, REPLACED
from nemuri_society.world.society_world import InvalidSnapshotError, World

REFRESH_SECONDS = 10.0
"""Maximum seconds between two percepts of an agent. What does not concern it reaches it by then."""
MORNING, EVENING = 6.0, 22.0
"""Hours at which daylight begins and ends."""
_values: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


@dataclass(slots=True)
class Inbox:
    """Events that an agent has not perceived yet."""

    heard: list[dict[str, Any]] = field(default_factory=list)
    deeds: list[dict[str, Any]] = field(default_factory=list)
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    changed: bool = True
    told_at: float = 0.0
    """Second of the last percept."""
    resting: tuple[str, float] | None = None
    """Id and last second of the rest under way."""


class Forum(World):
    """A forum without space."""

    about = "You are on a forum, where people post, answer each other, follow whom they like to read, and vote."
    actions = FORUM_ACTIONS

    def __init__(self, settings: Mapping[str, Any], board: Board | None = None, second: float = 0.0) -> None:
        """Create a forum. `settings` has `rate`, `speed`, `day_seconds`, `start_hour` and `allowed`, the names of the
        allowed actions, or None.
        """
        self.rate, self.speed = settings["rate"], settings["speed"]
        self._settings, self._board, self._second = dict(settings), board or Board(), second
        self._inboxes = {agent_id: Inbox() for agent_id in self._board.members}

    @classmethod
    def create(cls, society: Society) -> Self:
        """Return the new forum of a society."""
        names = ("rate", "speed", "day_seconds", "start_hour")
        allowed = None if society.actions is None else list(society.actions)
        return cls({name: getattr(society, name) for name in names} | {"allowed": allowed})

    @classmethod
    def load(cls, dumped: bytes) -> Self:
        """Return the forum that was dumped. Raises `InvalidSnapshotError`."""
        try:
            values = _values.validate_json(dumped)
            forum = cls(values["settings"], Board.load(values["board"]), float(values["second"]))
            forum._inboxes = {agent_id: Inbox(**inbox) for agent_id, inbox in values["inboxes"].items()}
        except (ValidationError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise InvalidSnapshotError("the bytes are no forum") from error
        return forum

    def dump(self) -> bytes:
        """Return the complete state as JSON."""
        inboxes = {
            agent_id: {name: getattr(inbox, name) for name in Inbox.__dataclass_fields__}
            for agent_id, inbox in self._inboxes.items()
        }
        values = {"settings": self._settings, "second": self._second, "board": self._board.values(), "inboxes": inboxes}
        return json.dumps(values).encode()

    @property
    def second(self) -> float:
        """Seconds since the forum began."""
        return self._second

    @property
    def hour(self) -> float:
        """Hour of the day, at least 0 and below 24."""
        return float((self._settings["start_hour"] + 24.0 * self._second / self._settings["day_seconds"]) % 24.0)

    @property
    def agents(self) -> tuple[str, ...]:
        """Ids of the agents on the forum."""
        return tuple(agent_id for agent_id, member in self._board.members.items() if member.present)

    def __contains__(self, agent_id: object) -> bool:
        """Return True if the agent is on the forum."""
        return isinstance(agent_id, str) and agent_id in self._board.members and self._board.members[agent_id].present

    def join(self, agent_id: str, name: str, town: str | None = None) -> None:  # noqa: ARG002 - there is no space
        """Let an agent enter the forum, for the first time or again."""
        member = self._board.members.setdefault(agent_id, Member(name))
        member.name, member.present = name, True
        self._inboxes.setdefault(agent_id, Inbox()).changed = True

    def leave(self, agent_id: str) -> None:
        """Let an agent leave. What it posted stays."""
        if agent_id in self:
            self._end_rest(agent_id, LEFT)
            self._board.members[agent_id].present = False
            self._inboxes[agent_id] = Inbox()

    def mark_percept_changed(self, agent_id: str) -> None:
        """Let the agent perceive the forum again."""
        if agent_id in self._inboxes:
            self._inboxes[agent_id].changed = True

    def step(self, acts: Iterable[Act], seconds: float) -> None:
        """Carry out these acts in order, and advance time."""
        for act in acts:
            if act.agent_id in self:
                self._begin(act)
        self._second += seconds
        for agent_id, inbox in self._inboxes.items():
            if inbox.resting is not None and inbox.resting[1] <= self._second:
                self._end_rest(agent_id, DONE)

    def changed_percepts_json(self) -> dict[str, bytes]:
        """Return the percepts of the agents that something concerns, and of those that have had none for
        `REFRESH_SECONDS`.
        """
        best, found = best_posts(self._board), dict[str, bytes]()
        for agent_id in self.agents:
            inbox = self._inboxes[agent_id]
            if inbox.changed or self._second - inbox.told_at >= REFRESH_SECONDS:
                found[agent_id] = self._percept(agent_id, inbox, best).model_dump_json().encode()
                self._inboxes[agent_id] = Inbox(changed=False, told_at=self._second, resting=inbox.resting)
        return found

    def lines(self, most: int) -> tuple[str, ...]:
        """Return the newest posts."""
        return tuple(self._line(post) for post in list(self._board.posts.values())[: -most - 1 : -1])

    def figures(self) -> dict[str, float]:
        """Return the mean numbers of posts, replies, votes given and agents followed, for each member."""
        members, posts = self._board.members, self._board.posts.values()
        counts = {
            "posts": sum(post.parent is None for post in posts),
            "replies": sum(post.parent is not None for post in posts),
            "votes": sum(len(post.votes) for post in posts),
        }
        follows = fmean([len(member.follows) for member in members.values()] or [0])
        return {name: round(count / max(1, len(members)), 3) for name, count in counts.items()} | {
            "follows": round(follows, 3)
        }

    def _percept(self, agent_id: str, inbox: Inbox, best: list[Post]) -> Percept:
        return Percept(
            second=round(self._second, 3),
            notices=board_notices(self._board, agent_id, best),
            possible=possible_commands(self._board, agent_id, best, self._settings["allowed"]),
            heard=tuple(Utterance(**heard) for heard in inbox.heard),
            deeds=tuple(Deed(**deed) for deed in inbox.deeds),
            outcomes=tuple(Outcome(**outcome) for outcome in inbox.outcomes),
            daylight=MORNING <= self.hour < EVENING,
            hour=min(23.99, round(self.hour, 2)),
        )

    def _begin(self, act: Act) -> None:
        """Carry out an act, or begin a rest. Any act but speech ends the rest under way."""
        agent_id, action = act.agent_id, act.act
        if not isinstance(action, Say):
            self._end_rest(agent_id, REPLACED)
        if not self._allows(action):
            self._tell_outcome(agent_id, act.act_id, FORBIDDEN)
        elif isinstance(action, Rest):
            self._inboxes[agent_id].resting = (act.act_id, self._second + action.seconds)
        else:
            try:
                event = self._event(agent_id, action)
            except RefusedError as refusal:
                self._tell_outcome(agent_id, act.act_id, str(refusal))
            else:
                self._tell_outcome(agent_id, act.act_id, DONE)
                self._tell_others(agent_id, event, himself=isinstance(action, Do))

    def _allows(self, action: Action) -> bool:
        first = action.command.split()[:1] if isinstance(action, Do) else [action.action]
        return self._settings["allowed"] is None or "".join(first).casefold() in self._settings["allowed"]

    def _event(self, agent_id: str, action: Action) -> Event:
        match action:
            case Do():
                return self._board.carry_out(agent_id, action.command, self._second)
            case Say():
                return self._board.publish(agent_id, self._second, action.text)
            case _:
                raise RefusedError("there is nothing of that kind on a forum")

    def _tell_others(self, agent_id: str, event: Event, *, himself: bool) -> None:
        """Let those whom an event concerns perceive it. With `himself`, the author perceives its own words, too."""
        name, board = self._board.members[agent_id].name, self._board
        if (post := event.post) is not None:
            parent = board.posts.get(post.parent or 0)
            readers = {*board.followers(agent_id), *([parent.author] if parent else []), agent_id}
            said = {"speaker": agent_id, "name": name, "text": post.text, "second": round(self._second, 3)}
            for reader in readers - (set() if himself else {agent_id}):
                self._put(reader, "heard", said)
        if event.towards:
            deed = {"deed": "did", "by": agent_id, "name": name, "what": event.deed, "second": round(self._second, 3)}
            self._put(event.towards, "deeds", deed)

    def _tell_outcome(self, agent_id: str, act_id: str, reason: str) -> None:
        self._put(agent_id, "outcomes", {"act_id": act_id, "done": not reason, "reason": reason[:200]})

    def _put(self, agent_id: str, part: str, value: dict[str, Any]) -> None:
        if agent_id in self:
            inbox = self._inboxes[agent_id]
            getattr(inbox, part).append(value)
            inbox.changed = True

    def _end_rest(self, agent_id: str, reason: str) -> None:
        inbox = self._inboxes[agent_id]
        if inbox.resting is not None:
            self._tell_outcome(agent_id, inbox.resting[0], reason)
            inbox.resting = None

    def _line(self, post: Post) -> str:
        parent = f", reply to {post.parent}" if post.parent else ""
        return f"{post.number} {self._board.members[post.author].name} ({post.score} votes{parent}): {post.text}"
