// Ask a question with nothing but a NATS client: `npm install` in this folder, no part of this project.
//
//     NATS_URL=$(nemuri status --nats-url) node plain_nats.mjs "May I compare a value to True?"
//
// What goes over the bus is described in `docs/api`.

import { randomUUID } from "node:crypto";
import { jetstream } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, headers } from "@nats-io/transport-node";

const namespace = process.env.NEMURI_NAMESPACE ?? "nemuri";
const client = "plain-node";
const patience = 120_000;

// This client library reads neither user nor password in an address: they are taken out of it.
function address(text) {
  const urls = text.split(",").map((each) => new URL(each.includes("://") ? each : `nats://${each}`));
  const [{ username, password }] = urls;
  const known = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers: urls.map((each) => each.host), ...(username ? known : {}) };
}

async function ask(text) {
  const connection = await connect(address(process.env.NATS_URL ?? "nats://127.0.0.1:4222"));
  const late = setTimeout(() => connection.close(), patience);
  try {
    const results = await new Kvm(connection).open(`${namespace}-results`);
    const task = randomUUID();
    const news = await results.watch({ key: task });

    // Acknowledged means on disk. Published again under the same id, it is still one task.
    const event = { event_id: task, kind: "task_submitted", version: 1, text };
    const named = headers();
    named.set("Nats-Msg-Id", task);
    await jetstream(connection).publish(`${namespace}.client.${client}.task_submitted`, JSON.stringify(event), {
      headers: named,
    });

    for await (const entry of news) {
      const result = entry.operation === "PUT" ? entry.json() : undefined;
      if (result && result.status !== "open") return result;
    }
    throw new Error("no answer in time");
  } finally {
    clearTimeout(late);
    await connection.close();
  }
}

const found = await ask(process.argv.slice(2).join(" ") || "What is truth value testing?").catch((error) => {
  console.error(`${error.name}: ${error.message}; is NATS_URL the address of a platform's server?`);
  process.exit(1);
});
console.log(found.status);
console.log(found.answer ?? found.reason);
