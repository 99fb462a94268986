/** Server-sent events, read from an answer of `fetch`: `EventSource` can send no token. */

export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

/** Yield the events of a stream until it ends. The stream is cancelled if the reader stops before that. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      const blocks = (text + value).split(/\r?\n\r?\n/);
      text = blocks.pop() ?? "";
      yield* blocks.map(parsed).filter((each) => each.event !== "");
    }
  } finally {
    await reader.cancel();
  }
}

function parsed(block: string): ServerEvent {
  const found: ServerEvent = { id: "", event: "", data: "" };
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      found[name as keyof ServerEvent] += value;
    }
  }
  return found;
}
