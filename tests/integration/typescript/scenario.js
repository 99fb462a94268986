/** What a program does with the client, in Node and in a browser. Returns what it saw, for the test to judge. */

export async function scenario({ NemuriClient, ProblemError, ConnectionError }, given) {
  const { url, token, operatorToken, conversation, memory, seen } = given;
  const client = new NemuriClient({ url, token });
  const operator = new NemuriClient({ url, token: operatorToken });
  const found = {};

  const messages = [{ role: "user", content: "I keep the garden shears in the blue shed." }];
  found.handedOver = (await client.converse("python", conversation, messages)).new_turns;
  found.handedOverAgain = (await client.converse("python", conversation, messages)).new_turns;

  const { memories } = await client.recall("python", "What does the lamp of Ann cost?", { top: 1, tag: ["lamps"] });
  found.recalled = memories.map((each) => each.memory.content);

  found.drafts = [];
  const noted = [];
  const task = await client.ask("What does the lamp of Ann cost?", {
    agent: "python",
    onDraft(text) {
      found.drafts.push(text);
      noted.push(fetch(seen, { method: "POST", mode: "no-cors" }));
    },
  });
  await Promise.all(noted);
  found.answered = [task.status, task.answer];

  found.kinds = [];
  for await (const each of client.follow(task.task_id)) {
    found.kinds.push(each.event === "recorded" ? each.entry.kind : each.event);
  }
  found.judged = (await client.feedback(task.task_id, { verdict: "helpful" })).verdict;
  found.profile = (await client.profile("python", "Ann", { tokens: 300 })).text;

  found.preview = (await operator.erasurePreview({ memory })).map((each) => each.sort);
  found.erased = (await operator.forget({ memory })).status;

  found.errors = {
    unknown: await problem(client.recall("nobody", "lamp")),
    invalid: await problem(client.recall("python", "lamp", { top: 0 })),
    unsigned: await problem(new NemuriClient({ url, token: "wrong" }).recall("python", "lamp")),
    forbidden: await problem(client.forget({ task: task.task_id })),
    aborted: await client.result(task.task_id, { signal: AbortSignal.abort() }).catch((error) => error.name),
  };
  found.retries = await retries();
  return found;

  async function problem(call) {
    const error = await call.then(() => undefined, (failed) => failed);
    return error instanceof ProblemError ? [error.status, error.message] : String(error);
  }

  /** Return the number of requests for calls whose answer is lost, or says that the platform is away, at first. */
  async function retries() {
    const counted = {};
    async function count(name, call, fails) {
      counted[name] = 0;
      const flaky = (...given) => {
        counted[name] += 1;
        return counted[name] > 1 ? fetch(...given) : fails();
      };
      const outcome = await call(new NemuriClient({ url, token, fetch: flaky })).then(() => "done", (error) => error);
      counted[name] = [counted[name], outcome instanceof ConnectionError ? "unreachable" : outcome.status ?? outcome];
    }
    const away = async () => new Response("", { status: 503, headers: { "Retry-After": "0" } });
    const busy = async () => new Response("", { status: 429, headers: { "Retry-After": "0" } });
    const lost = () => Promise.reject(new TypeError("the connection broke"));
    const judge = (each) => each.feedback(task.task_id, { verdict: "helpful" });
    await count("questions", (each) => each.recall("python", "lamp"), lost);
    await count("tasks", (each) => each.submit("What is a lamp?", { key: conversation }), away);
    await count("judgements", judge, lost);
    await count("judgements while away", judge, away);
    await count("judgements in a rush", judge, busy);
    return counted;
  }
}
