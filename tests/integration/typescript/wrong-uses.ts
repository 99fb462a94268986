/** Wrong uses of the client. The compiler must refuse each of them, and fails if it does not. */
import { NemuriClient } from "nemuri";

const client = new NemuriClient({ url: "http://127.0.0.1:7411", token: "nemuri_0" });

// @ts-expect-error: the parameter is called `top`
await client.recall("python", "lamps", { limit: 3 });
// @ts-expect-error: a verdict is `helpful` or `unhelpful`
await client.feedback("0", { verdict: "good" });
// @ts-expect-error: an answer may be null
(await client.ask("What does a lamp cost?")).answer.length;
// @ts-expect-error: nothing else can be erased
await client.forget({ conversation: "garden" });
