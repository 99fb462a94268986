"""The work of a host for people who study its society: the record, the limit of the clock, influences and probes."""

import asyncio
from collections.abc import Iterable
from typing import Final

import structlog
from pydantic import JsonValue

from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.failures import ModelFailure
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.cognition.engine import Engine, Failure
from nemuri_society.cognition.influence import STUDY, given_changes, influence_changes, reached
from nemuri_society.cognition.interview import INTERVIEW_SECTIONS, interview_prompt
from nemuri_society.cognition.module import Rank
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.residents import Intervention, Probe
from nemuri_society.contracts.society import HostHealthReport, Society
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.control import Influence, read_controls
from nemuri_society.simulation.model_thinking import Thinking
from nemuri_society.simulation.recorder import Recorder
from nemuri_society.simulation.simulation_clock import SimulationClock
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.stores.society_states import States

INTERVIEW: Final = "interview"
"""Name under which probes count in the figures of models, and by which memories are retrieved for them."""
PROBE_PAUSES: Final = (2.0, 8.0, 30.0)
"""Wall-clock seconds before a probe is asked again, after each failure of the model. With one more failure the agent
stays without an answer, until the society runs again.
"""

logger = structlog.get_logger()


class HostStudy:
    """The study of the agents on one host."""

    def __init__(
        self,
        host: str,
        society: Society,
        states: States,
        engine: Engine,
        clock: SimulationClock,
        memories: AgentMemories,
        thinking: Thinking,
    ) -> None:
        """Begin to record the changes of the engine's agents and their memories."""
        self._society, self._states, self._engine, self._clock = society, states, engine, clock
        self._memories, self._thinking = memories, thinking
        self.recorder = Recorder(host, SocietyRecord(states.log, society.name))
        engine.on_change = self._changed
        memories.on_recorded = self.recorder.remembered
        self._asked: dict[tuple[str, str], asyncio.Task[None]] = {}
        """Probes that are being answered, by their id and the agent's."""

    def _changed(self, state: SharedState, sections: Iterable[str]) -> None:
        if (items := self.recorder.changed(state, sections)) is not None:
            self._engine.put(state.agent_id, {STUDY: {"items": [*items]}}, self._clock())

    async def beat(self, *, confirmed: bool) -> None:
        """Obey what people have put in force. Write the record if all agents are known to belong to this host."""
        try:
            controls = await read_controls(self._states)
        except READER_ERRORS as error:
            logger.warning("controls not read", society=self._society.name, why=log_safe(error))
        else:
            self._clock.run_until(controls.limit.until)
            for influence_id, influence in controls.influences.items():
                self._influence(influence, influence_id)
        if confirmed:
            await self.recorder.flush()

    def run_due(self, figures: HostHealthReport) -> None:
        """Carry out the interventions and ask the probes that are due, and sample places and figures."""
        now = self._clock()
        for nth, intervention in enumerate(self._society.interventions):
            if intervention.at <= now:
                self._intervene(intervention, f"intervention-{nth}")
        for nth, probe in enumerate(self._society.probes):
            if probe.at <= now:
                self._probe(probe, f"probe-{nth}")
        self.recorder.sample(now, figures)

    def forget(self, agent_ids: Iterable[str]) -> None:
        """Drop agents that now belong to another host."""
        gone = frozenset(agent_ids)
        for probe_id, agent_id in [asked for asked in self._asked if asked[1] in gone]:
            self._asked.pop((probe_id, agent_id)).cancel()
        self.recorder.forget(gone)

    async def close(self, figures: HostHealthReport, *, confirmed: bool) -> None:
        """Write the rest of the record, with the last figures, and give up questions that are not answered."""
        await cancel_and_wait(*self._asked.values())
        self.recorder.measure(self._clock(), figures)
        self.recorder.seal()
        if confirmed:
            await self.recorder.flush()

    def _intervene(self, intervention: Intervention, given: str) -> None:
        given_texts = {"belief": intervention.belief, "event": intervention.event, "law": intervention.law}
        for resident in self._society.residents_of(intervention.who):
            for sort, text in given_texts.items():
                if text is not None:
                    about = {"agent": resident.id, "sort": sort, "text": text}
                    self._influence(Influence.model_validate(about), given)

    def _influence(self, influence: Influence, given: str) -> None:
        """Give an influence to its agent, if the agent is on this host and has not got it yet."""
        if influence.sort == "question":
            self._ask(influence.agent, influence.text, given)
            return
        state, now = self._engine.states.get(influence.agent), self._clock()
        if state is None or reached(state, given):
            return
        self._engine.put(influence.agent, influence_changes(state, influence.sort, influence.text, given, now), now)
        told = {"kind": "influence", "sort": influence.sort, "text": influence.text}
        self.recorder.tell(influence.agent, now, told)

    def _probe(self, probe: Probe, given: str) -> None:
        for resident in self._society.residents_of(probe.who):
            self._ask(resident.id, probe.question, given)

    def _ask(self, agent_id: str, question: str, given: str) -> None:
        """Ask an agent aside, if it is on this host and has not answered yet, and if thinking is not paused."""
        state, asked = self._engine.states.get(agent_id), (given, agent_id)
        if self._thinking.paused:
            return
        if state is not None and asked not in self._asked and not reached(state, given):
            self._asked[asked] = asyncio.ensure_future(self._answer(agent_id, question, given))

    async def _answer(self, agent_id: str, question: str, given: str) -> None:
        """Ask an agent aside, and record its answer with the mark that it was asked.

        If the model fails, it is asked again after each of `PROBE_PAUSES`. The last failure, and any other error, is
        recorded as a failure of the interview.
        """
        for pause in (*PROBE_PAUSES, None):
            try:
                answer = await self._interview(agent_id, question)
                break
            except ModelFailure as error:
                if pause is None:
                    self._engine.failures.append(Failure(agent_id, INTERVIEW, error))
                    return
                logger.warning("probe not answered", agent=agent_id, why=log_safe(error), again_in=pause)
                await asyncio.sleep(pause)
            except Exception as error:  # noqa: BLE001 - the host logs it, and goes on
                self._engine.failures.append(Failure(agent_id, INTERVIEW, error))
                return
        state, now = self._engine.states.get(agent_id), self._clock()
        self._asked.pop((given, agent_id), None)
        if state is not None:
            self._engine.put(agent_id, given_changes(state, given), now)
            self.recorder.tell(agent_id, now, {"kind": "answer", "question": question, **answer})

    async def _interview(self, agent_id: str, question: str) -> dict[str, JsonValue]:
        """Return an agent's answer in the state in which it is now, and who gave it: a model, or the state alone."""
        snapshot = self._engine.states[agent_id].snapshot(INTERVIEW_SECTIONS, self._clock())
        memories = self._memories.recall(agent_id, question, INTERVIEW, snapshot.second, count=False)
        prompt = interview_prompt(snapshot, question, memories)
        requests = self._thinking.model_requests
        answer = await requests.ask(Rank.REFLECTION, prompt, module=INTERVIEW, agent_id=agent_id)
        return {"answer": answer, "by": "state" if answer == prompt.about["state"] else "model"}
