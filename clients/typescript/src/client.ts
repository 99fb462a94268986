/** The client: one method for each thing that a program does with a memory. */
import type { components, operations } from "./api.js";
import { ConnectionError, ProblemError } from "./errors.js";
import { eventsOf } from "./event-stream.js";
import { path, pause, Requests, type Query } from "./requests.js";

type Schemas = components["schemas"];
type Task = Schemas["TaskResult"];
/** Fields of a request: those named are needed, the others have defaults. */
type Fields<Body, Needed extends keyof Body = never> = Partial<Body> & Pick<Body, Needed>;

export interface ClientOptions {
  /** Address of the platform, as `nemuri up` prints it: `http://127.0.0.1:7411`. */
  url: string;
  /** Token of a client, which `nemuri token add CLIENT` makes. */
  token: string;
  /** Function to use instead of `fetch`, such as one with a proxy. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Aborts the call. What the platform has already accepted is done nevertheless. */
  signal?: AbortSignal | undefined;
}

/** A message with `role` and `content`, as the clients of OpenAI and Anthropic have them, or a text of the user. */
export type Message = Schemas["Messages"]["messages"][number];
export type ConverseOptions = Fields<Omit<Schemas["Messages"], "messages">> & CallOptions;
export type RecallOptions = Omit<NonNullable<operations["recall_memories"]["parameters"]["query"]>, "query"> & CallOptions;
export type AskOptions = Fields<Omit<Schemas["TaskRequest"], "text" | "streamed">> &
  CallOptions & {
    /** Key under which at most one task is submitted. By default, a new one for each call. */
    key?: string;
    /** Receives the answer as far as it is written. A model that starts again begins with a shorter text. */
    onDraft?: (text: string) => void;
  };

/** The position of an event of a task in the log. */
export interface RecordedEvent {
  sequence: number;
  event_id: string;
  kind: string;
  task_id: string | null;
  agent_id: string | null;
  /** Id of the event that caused this one. */
  causation_id: string | null;
  recorded_at: string;
}

/** An event of a task: the answer as far as it is written, an event that was recorded, or the end. */
export type TaskEvent =
  | { event: "draft"; text: string }
  | { event: "recorded"; entry: RecordedEvent }
  | { event: "end"; status: Task["status"]; attempt: number };

/** What is erased, with everything derived from it. */
export type ErasureTarget = { memory: string } | { task: string } | { agent: string } | { person: string };

/** Seconds for which one request waits for a task. */
const WAIT_SECONDS = 30;
const OPERATION_POLL_SECONDS = 0.3;
/** Seconds after which a stream that broke off is resumed. */
const RESUME_SECONDS = 2;

/** A client of one platform. It keeps no connection open between calls, so nothing has to be closed. */
export class NemuriClient {
  readonly #requests: Requests;

  constructor(options: ClientOptions) {
    this.#requests = new Requests(options.url, options.token, options.fetch ?? ((...given) => fetch(...given)));
  }

  /**
   * Hand over messages of a conversation, all of them or only the newest, and return what the agent learned from them.
   *
   * What was handed over before is not read again, so a call that failed can be repeated.
   */
  converse(
    agent: string,
    conversation: string,
    messages: readonly Message[],
    { signal, ...options }: ConverseOptions = {},
  ): Promise<Schemas["LearnedAnswer"]> {
    const call = { body: { ...options, messages }, repeatable: true, signal };
    return this.#requests.json("POST", path`/agents/${agent}/conversations/${conversation}`, call);
  }

  /** Return the memories that an agent would be given for a query, best first. */
  recall(agent: string, query: string, { signal, ...options }: RecallOptions = {}): Promise<Schemas["RecallView"]> {
    const call = { query: { ...options, query } as Query, signal };
    return this.#requests.json("GET", path`/agents/${agent}/recall`, call);
  }

  /** Submit a task and return its id, as soon as the platform has stored it. */
  async submit(text: string, { signal, onDraft, key = crypto.randomUUID(), ...options }: AskOptions = {}): Promise<string> {
    const body = { ...options, text, streamed: onDraft !== undefined };
    const found = await this.#requests.json<Schemas["SubmittedTask"]>("POST", "/tasks", { body, key, signal });
    return found.task_id;
  }

  /**
   * Ask, and return the task when it has an answer, has failed, or waits for its client (`status`).
   *
   * If the signal is aborted, the task continues: `submit` and `result` give its id and its answer.
   */
  async ask(text: string, options: AskOptions = {}): Promise<Task> {
    const { onDraft, signal } = options;
    const taskId = await this.submit(text, options);
    const answered = new AbortController();
    const drafts = onDraft && this.#tellDrafts(taskId, onDraft, answered.signal);
    drafts?.catch(() => undefined); // an error of `onDraft` is thrown below, when the answer is here
    try {
      return await this.result(taskId, { signal });
    } finally {
      answered.abort();
      await drafts;
    }
  }

  /** Return a task when it has an answer, has failed, or waits for its client. */
  async result(taskId: string, { signal }: CallOptions = {}): Promise<Task> {
    for (;;) {
      const call = { query: { wait: WAIT_SECONDS }, signal };
      const task = await this.#requests.json<Task>("GET", path`/tasks/${taskId}`, call);
      if (task.status !== "open") {
        return task;
      }
    }
  }

  /** Yield the events of a task, each once, until nothing more follows. A stream that breaks off is resumed. */
  async *follow(taskId: string, { signal }: CallOptions = {}): AsyncGenerator<TaskEvent, void> {
    let last = "";
    for (;;) {
      const headers: Record<string, string> = last ? { "Last-Event-ID": last } : {};
      const response = await this.#requests.send("GET", path`/tasks/${taskId}/events`, { headers, signal });
      if (response.status === 204 || !response.body) {
        return;
      }
      try {
        for await (const { id, event, data } of eventsOf(response.body)) {
          const found = taskEvent(event, data, taskId);
          last = id || last;
          yield found;
          if (found.event === "end") {
            return;
          }
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof TypeError)) {
          throw error;
        } // else the connection broke: the next request resumes the stream, or says why not
      }
      await pause(RESUME_SECONDS, signal);
    }
  }

  /** Judge the answer of a task. The memories behind it gain or yield. */
  feedback(
    taskId: string,
    { signal, ...judgement }: Fields<Schemas["FeedbackOptions"]> & CallOptions,
  ): Promise<Schemas["FeedbackStanding"]> {
    return this.#requests.json("POST", path`/tasks/${taskId}/feedback`, { body: judgement, signal });
  }

  /** Return what would be erased, without erasing anything. Only the operator's token may. */
  async erasurePreview(target: ErasureTarget, { signal }: CallOptions = {}): Promise<Schemas["ErasedThing"][]> {
    return (await this.#erasure(target, true, signal)).things;
  }

  /**
   * Erase something with everything derived from it, and return the operation when it has ended. It may have failed
   * (`status`, `problem`). Only the operator's token may erase.
   */
  async forget(target: ErasureTarget, { signal }: CallOptions = {}): Promise<Schemas["OperationView"]> {
    let { operation } = await this.#erasure(target, false, signal);
    if (!operation) {
      throw new Error("the platform answered a request to erase as if it were a dry run");
    }
    while (operation.status === "running") {
      await pause(OPERATION_POLL_SECONDS, signal);
      const address: string = path`/operations/${operation.operation_id}`;
      operation = await this.#requests.json<Schemas["OperationView"]>("GET", address, { signal });
    }
    return operation;
  }

  /** Return what an agent knows of a person now, in words for a prompt, within a number of tokens. */
  profile(
    agent: string,
    person: string,
    { signal, ...query }: { tokens?: number } & CallOptions = {},
  ): Promise<Schemas["ProfileView"]> {
    return this.#requests.json("GET", path`/agents/${agent}/persons/${person}/profile`, { query, signal });
  }

  #erasure(
    target: ErasureTarget,
    dryRun: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Schemas["ErasureAnswer"]> {
    const [[sort, name]] = Object.entries(target) as [[string, string]];
    const collection = { memory: "memories", task: "tasks", agent: "agents", person: "persons" }[sort] ?? sort;
    const call = { body: { dry_run: dryRun }, repeatable: dryRun, signal };
    return this.#requests.json("POST", path`/${collection}/${name}/forget`, call);
  }

  /** Tell the drafts of a task until the signal is aborted. Drafts that are lost do not matter: the answer comes. */
  async #tellDrafts(taskId: string, onDraft: (text: string) => void, signal: AbortSignal): Promise<void> {
    try {
      for await (const found of this.follow(taskId, { signal })) {
        if (found.event === "draft") {
          onDraft(found.text);
        }
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof ConnectionError || error instanceof ProblemError)) {
        throw error;
      }
    }
  }
}

function taskEvent(event: string, data: string, taskId: string): TaskEvent {
  const found: unknown = JSON.parse(data);
  switch (event) {
    case "draft":
      return { event, text: (found as { text: string }).text };
    case "end":
      return { event, ...(found as { status: Task["status"]; attempt: number }) };
    case "problem": {
      const { detail } = found as { detail: string };
      const title = "Service Unavailable";
      throw new ProblemError({ type: "about:blank", title, status: 503, detail, instance: `/tasks/${taskId}/events` });
    }
    default:
      return { event: "recorded", entry: found as RecordedEvent };
  }
}
