/** Teach an agent, look into its memory, and ask it, while the answer is being written. */
import { NemuriClient, ProblemError } from "nemuri";

const [url = "http://127.0.0.1:7411", token = "", agent = "python"] = process.argv.slice(2);
const client = new NemuriClient({ url, token });

try {
  const learned = await client.converse(agent, "kitchen", [
    { role: "user", content: "I am allergic to walnuts." },
    { role: "assistant", content: "I will leave them out." },
  ]);
  console.log(`turns that were new: ${learned.new_turns}`);

  const { memories } = await client.recall(agent, "What must not be in the cake?", { top: 3 });
  memories.forEach(({ memory }) => console.log(`remembered: ${memory.content}`));

  const task = await client.ask("What is truth value testing?", {
    agent,
    signal: AbortSignal.timeout(60_000),
    onDraft: (text) => process.stderr.write(`\r${text.length} characters`),
  });
  console.log(`${task.status}: ${task.answer}`);

  const judged = await client.feedback(task.task_id, { verdict: "helpful" });
  console.log(`judged: ${judged.verdict}`);
} catch (error) {
  if (!(error instanceof ProblemError)) {
    throw error;
  }
  console.error(`${error.status}: ${error.message}`);
  process.exitCode = 1;
}
