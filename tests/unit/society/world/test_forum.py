"""A forum: what its commands need and do, what agents perceive of it, and its state."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from nemuri_society.contracts.society import Society
from nemuri_society.contracts.world_protocol import Act, Action, Do, Go, Percept, Position, Rest, Say
from nemuri_society.world.forum import REFRESH_SECONDS, Forum
from nemuri_society.world.forum_board import POST_LIMIT
from nemuri_society.world.society_world import InvalidSnapshotError

NAMES = {"a1": "Ann", "b1": "Bob", "c1": "Cem"}


class Stage:
    """A forum with three members, and the percepts that they have had."""

    def __init__(self, **given: object) -> None:
        """Let all three join."""
        agents = [{"id": agent_id, "name": name} for agent_id, name in NAMES.items()]
        self.forum = Forum.create(Society.model_validate({"name": "f", "seed": 1, "agents": agents} | given))
        for agent_id, name in NAMES.items():
            self.forum.join(agent_id, name)
        self.acts, self.seen = 0, dict[str, Percept]()
        self.look()

    def look(self) -> dict[str, Percept]:
        """Read the changed percepts."""
        found = {agent: Percept.model_validate_json(data) for agent, data in self.forum.changed_percepts_json().items()}
        self.seen |= found
        return found

    def act(self, agent_id: str, action: Action) -> str:
        """Let an agent act, and return the reason of the refusal; "" if it was done."""
        self.acts += 1
        self.forum.step([Act(agent_id=agent_id, act_id=f"x{self.acts}", act=action)], 0.25)
        (outcome,) = [one for one in self.look()[agent_id].outcomes if one.act_id == f"x{self.acts}"]
        assert outcome.done == (not outcome.reason)
        return outcome.reason

    def do(self, agent_id: str, command: str) -> str:
        """Let an agent give a command, and return the reason of the refusal; "" if it was carried out."""
        return self.act(agent_id, Do(command=command))


def _lines(percept: Percept) -> list[str]:
    return [f"{notice.about}: {notice.words}" for notice in percept.notices[1:]]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("vote up 1", "post 1 is your own"),
        ("vote up 9", "there is no post 9"),
        ("reply to 9: yes", "there is no post 9"),
        ("follow Ann", "nobody follows themselves"),
        ("follow Zoe", "nobody on the forum is called Zoe"),
        ("unfollow Bob", "you do not follow Bob"),
        ("post", "a post needs words"),
        (f"post {'x' * (POST_LIMIT + 1)}", f"at most {POST_LIMIT} characters"),
        ("dig 3 wood", "does not know this command; there are: post TEXT; reply"),
    ],
)
def test_what_a_command_needs_is_checked_and_told(command: str, reason: str) -> None:
    """A command without its preconditions is refused with the reason, and changes nothing."""
    stage = Stage()
    assert stage.do("a1", "post Good morning") == ""
    before = stage.forum.lines(9), stage.forum.figures()
    assert reason in stage.do("a1", command)
    assert (stage.forum.lines(9), stage.forum.figures()) == before


def test_nobody_votes_twice_or_follows_twice() -> None:
    """The first vote and follow count, the second are refused."""
    stage = Stage()
    stage.do("a1", "post Good morning")
    assert [stage.do("b1", "vote up 1"), stage.do("b1", "follow ann")] == ["", ""]
    assert stage.do("b1", "vote down 1") == "you have voted on post 1 already"
    assert stage.do("b1", "follow Ann") == "you follow Ann already"
    assert stage.forum.lines(1) == ("1 Ann (1 votes): Good morning",)
    assert stage.seen["a1"].notices[0].about == "your karma: 1; your followers: 1; you follow: nobody"


def test_followers_hear_posts_and_authors_hear_replies() -> None:
    """A post is heard by the followers, a reply by the author of the post, both by who wrote them, and by nobody else.
    A vote and a follow are deeds towards the other.
    """
    stage = Stage()
    stage.do("b1", "follow Ann")
    assert [(deed.name, deed.what) for deed in stage.seen["a1"].deeds] == [("Bob", "began to follow YOU")]
    stage.do("a1", "post The harbour is old")
    assert {agent: [one.text for one in seen.heard] for agent, seen in stage.seen.items()} == {
        "a1": ["The harbour is old"], "b1": ["The harbour is old"], "c1": [],
    }  # fmt: skip
    stage.do("c1", "reply to 1: And it has silted up")
    assert [one.name for one in stage.seen["a1"].heard] == ["Cem"]
    stage.do("c1", "vote up post 1")
    assert [deed.what for deed in stage.seen["a1"].deeds] == ["voted for post 1 of YOU"]


def test_a_feed_has_answers_followed_best_and_newest_posts_once_each() -> None:
    """Replies to the agent come first, then posts of those whom it follows, the best of all and the newest."""
    stage = Stage()
    for agent, command in (
        ("a1", "post First"), ("b1", "post Second"), ("c1", "reply to 1: Third"), ("b1", "vote up 1"),
        ("c1", "vote up 2"), ("a1", "follow Bob"),
    ):  # fmt: skip
        assert stage.do(agent, command) == ""
    assert _lines(stage.seen["a1"]) == [
        "post 3 by Cem, 0 votes, in reply to your post 1: Third",
        "post 2 by Bob, 1 vote: Second",
        "post 1 by you, 1 vote: First",
    ]


def test_every_choice_that_a_percept_names_is_possible() -> None:
    """What a percept calls possible is carried out, and what has become impossible is not named any more."""
    stage = Stage()
    for agent in NAMES:
        stage.do(agent, f"post I am {agent}")
    for _ in range(20):
        possible = [choice for one in stage.seen["a1"].possible for choice in one.choices if "TEXT" not in choice]
        taken = next((choice for choice in possible if not choice.startswith("unfollow")), None)
        if taken is None:
            break
        assert stage.do("a1", taken) == "", taken
    assert {choice for one in stage.seen["a1"].possible for choice in one.choices if "TEXT" not in choice} == {
        "unfollow Bob", "unfollow Cem",
    }  # fmt: skip


def test_speech_is_a_post_and_other_actions_are_refused() -> None:
    """What is said aloud is posted. A forum has no blocks, and only what the society allows."""
    stage = Stage(world="forum", actions=["say", "vote"])
    assert stage.act("a1", Say(text="Hello")) == ""
    assert stage.forum.lines(1) == ("1 Ann (0 votes): Hello",)
    assert stage.act("a1", Go(to=Position(x=1, y=64, z=1))) == "nobody may do that in this world"
    assert stage.do("b1", "post no") == "nobody may do that in this world"
    assert {one.command for one in stage.seen["b1"].possible} == {"vote up NUMBER", "vote down NUMBER"}
    assert "nothing of that kind" in Stage().act("a1", Go(to=Position(x=1, y=64, z=1)))


def test_the_clock_runs_and_everybody_sees_the_forum_from_time_to_time() -> None:
    """The hour follows the seconds. An agent that nothing concerns gets a percept every `REFRESH_SECONDS`."""
    stage = Stage(start_hour=6, day_seconds=2400)
    stage.forum.step([], 100.0)
    assert (stage.look()["c1"].hour, stage.forum.second) == (7.0, 100.0)
    stage.do("a1", "post Something")
    assert stage.seen["c1"].notices[1:] == ()
    stage.forum.step([], REFRESH_SECONDS)
    assert _lines(stage.look()["c1"]) == ["post 1 by Ann, 0 votes: Something"]


def test_a_rest_ends_after_its_seconds_or_with_the_next_act() -> None:
    """A rest is done after its time; another act replaces it."""
    stage = Stage()
    stage.forum.step([Act(agent_id="a1", act_id="r1", act=Rest(seconds=2.0))], 1.0)
    assert "a1" not in stage.look()
    stage.forum.step([], 1.0)
    assert [(one.act_id, one.reason) for one in stage.look()["a1"].outcomes] == [("r1", "")]
    stage.forum.step([Act(agent_id="a1", act_id="r2", act=Rest(seconds=9.0))], 1.0)
    stage.forum.step([Act(agent_id="a1", act_id="p", act=Do(command="post x"))], 1.0)
    assert {one.act_id: one.done for one in stage.look()["a1"].outcomes} == {"r2": False, "p": True}


words = st.characters(exclude_characters="\0", exclude_categories=["Cs"])  # No text of the contracts has these.
commands = st.one_of(
    st.sampled_from(["post", "post A b", "follow Ann", "unfollow Bob", "follow Cem", "", " "]),
    st.builds("{} {}".format, st.sampled_from(["vote up", "vote down", "reply to"]), st.integers(0, 5)),
    st.builds("reply to {}: {}".format, st.integers(0, 5), st.text(words, max_size=20)),
    st.text(words, min_size=1, max_size=30),
).map(lambda text: text or "x")
actions = st.one_of(
    commands.map(lambda text: {"action": "do", "command": text}),
    st.just({"action": "rest", "seconds": 0.5}),
    st.just({"action": "say", "text": "Hi"}),
)
rounds = st.lists(st.lists(st.tuples(st.sampled_from([*NAMES]), actions), max_size=4), max_size=8)


@given(rounds)
def test_every_act_ends_once_and_a_loaded_forum_goes_on_alike(
    turns: list[list[tuple[str, dict[str, str]]]],
) -> None:
    """Whatever is asked for, every act ends once, and a forum that was dumped and loaded gives the same percepts."""
    stage, kind, begun, ended = Stage(), TypeAdapter(Action), list[str](), list[str]()
    for turn in [*turns, [], []]:
        acts = [
            Act(agent_id=agent, act_id=f"{len(begun) + nth}", act=kind.validate_python(action))
            for nth, (agent, action) in enumerate(turn)
        ]
        begun += [act.act_id for act in acts]
        copy = Forum.load(stage.forum.dump())
        stage.forum.step(acts, 0.5)
        copy.step(acts, 0.5)
        assert copy.dump() == stage.forum.dump()
        percepts = stage.forum.changed_percepts_json()
        assert copy.changed_percepts_json() == percepts
        ended += [one.act_id for data in percepts.values() for one in Percept.model_validate_json(data).outcomes]
    assert sorted(begun) == sorted(ended)


def test_other_bytes_are_no_forum() -> None:
    """Bytes that are no dumped forum are refused."""
    for wrong in (b"", b"{}", b"[1]", json.dumps({"settings": {}, "board": {}, "second": 1}).encode()):
        with pytest.raises(InvalidSnapshotError, match="no forum"):
            Forum.load(wrong)


def test_a_fork_has_other_ids() -> None:
    """Renaming gives the same forum with other ids, and the names stay."""
    stage = Stage()
    stage.do("a1", "post I am a1")
    renamed = Forum.load(Forum.renamed(stage.forum.dump(), lambda text: text.replace('"a1"', '"z9"')))
    assert renamed.agents == ("z9", "b1", "c1")
    assert renamed.lines(1) == ("1 Ann (0 votes): I am a1",)
