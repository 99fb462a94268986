// Ask a question with a NATS client alone: `npm install` in this folder, without this project.
//
//     NATS_URL=$(nemuri status --nats-url) node plain_nats.mjs "May I compare a value to True?"
//
// `contracts/schemas` describes the messages on the bus. Exit codes are those of `nemuri ask`: 0 answered, 1 failed,
// 3 not answered in time, 4 the platform asks how to continue with many items.

import { randomUUID } from "node:crypto";
import { jetstream } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, headers } from "@nats-io/transport-node";

const namespace = process.env.NEMURI_NAMESPACE ?? "nemuri";
const client = "plain-node";
const patience = 1_000 * Number(process.env.PATIENCE ?? "120");
const FAILED = 1;
const LATE = 3;
const NEGOTIATION = 4;

class LateError extends Error {}

// This client library ignores user and password in an address, so they are passed separately.
function address(text) {
  const urls = text.split(",").map((each) => new URL(each.includes("://") ? each : `nats://${each}`));
  const [{ username, password }] = urls;
  const known = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers: urls.map((each) => each.host), ...(username ? known : {}) };
}

async function ask(text) {
  const connection = await connect(address(process.env.NATS_URL ?? "nats://127.0.0.1:4222"));
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    connection.close();
  }, patience);
  try {
    const results = await new Kvm(connection).open(`${namespace}-results`);
    const task = randomUUID();
    const news = await results.watch({ key: task });

    // An acknowledged message is on disk. A repeated publish with the same id is still one task.
    const event = { event_id: task, kind: "task_submitted", version: 1, text };
    const named = headers();
    named.set("Nats-Msg-Id", task);
    await jetstream(connection).publish(`${namespace}.client.${task}.${client}.task_submitted`, JSON.stringify(event), {
      headers: named,
    });

    for await (const entry of news) {
      const result = entry.operation === "PUT" ? entry.json() : undefined;
      if (result && result.status !== "open") return result;
    }
    throw new Error("the results store was closed");
  } catch (error) {
    throw isLate ? new LateError(`no answer within ${patience / 1_000} s; is the platform running?`) : error;
  } finally {
    clearTimeout(late);
    await connection.close();
  }
}

function show(found) {
  console.log(found.status);
  if (found.status === "done") {
    console.log(found.answer);
    return 0;
  }
  if (found.status !== "negotiation") {
    console.log(found.reason);
    return FAILED;
  }
  found.items.forEach((item, at) => console.log(`${at + 1}. ${item}`));
  for (const option of found.options) console.log(`${option.name}: ${option.description}`);
  return NEGOTIATION;
}

try {
  process.exitCode = show(await ask(process.argv.slice(2).join(" ") || "What is truth value testing?"));
} catch (error) {
  const isLate = error instanceof LateError;
  const advice = "is NATS_URL the address of a platform's server?";
  console.error(isLate ? error.message : `${error.name}: ${error.message}; ${advice}`);
  process.exitCode = isLate ? LATE : FAILED;
}
