/** Requests to the HTTP API, repeated if that is safe. */
import { ConnectionError, ProblemError } from "./errors.js";

type Scalar = string | number | boolean;
export type Query = Record<string, Scalar | readonly Scalar[] | Readonly<Record<string, Scalar>> | null | undefined>;

/** What a request consists of. */
export interface Call {
  query?: Query;
  body?: unknown;
  /** Idempotency key: requests with the same key and the same content have the effect of one. */
  key?: string | undefined;
  headers?: Record<string, string>;
  /** True if sending it twice has the effect of sending it once. By default, so are GET and requests with a key. */
  repeatable?: boolean;
  signal?: AbortSignal | undefined;
}

const ATTEMPTS = 5;
const LONGEST_WAIT_SECONDS = 30;
/** Statuses after which a request that may have had its effect is repeated only if it is repeatable. */
const PASSING = new Set([502, 503, 504]);
/** Status of a request that was not looked at, so that every request may be repeated. */
const TOO_MANY = 429;

/** Sends requests with a token. */
export class Requests {
  readonly #root: string;
  readonly #token: string;
  readonly #fetch: typeof fetch;

  /** `url` is the address of the platform; `send` is a function like `fetch`. */
  constructor(url: string, token: string, send: typeof fetch) {
    this.#root = `${url.replace(/\/+$/, "")}/api/v1`;
    this.#token = token;
    this.#fetch = send;
  }

  /** Return the JSON of an answer; undefined for an empty one. */
  async json<Answer>(method: string, path: string, call: Call = {}): Promise<Answer> {
    const response = await this.send(method, path, call);
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  }

  /** Return a successful answer. Throws `ProblemError`, `ConnectionError`, or the reason of an aborted signal. */
  async send(method: string, path: string, call: Call = {}): Promise<Response> {
    const repeatable = call.repeatable ?? (method === "GET" || call.key !== undefined);
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS;
      const response = await this.#once(method, path, call).catch((error: unknown) => {
        call.signal?.throwIfAborted();
        if (!repeatable || last) {
          throw new ConnectionError(`${this.#root} cannot be reached`, { cause: error });
        }
        return undefined;
      });
      if (response?.ok) {
        return response;
      }
      if (response) {
        const passing = response.status === TOO_MANY || (repeatable && PASSING.has(response.status));
        if (!passing || last) {
          throw await ProblemError.of(response, path);
        }
        await response.body?.cancel();
      }
      await pause(secondsBefore(attempt, response), call.signal);
    }
  }

  #once(method: string, path: string, call: Call): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#token}`, ...call.headers };
    if (call.body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    if (call.key !== undefined) {
      headers["Idempotency-Key"] = call.key;
    }
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    const url = this.#root + path + queryOf(call.query ?? {});
    return this.#fetch(url, { method, headers, body, signal: call.signal ?? null, cache: "no-store" });
  }
}

/** Return a path with its values escaped. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}

function queryOf(query: Query): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) {
      value.forEach((each) => found.append(name, String(each)));
    } else if (typeof value === "object" && value !== null) {
      Object.entries(value).forEach(([key, each]) => found.append(name, `${key}=${each}`));
    } else if (value !== undefined && value !== null) {
      found.append(name, String(value));
    }
  }
  return found.size ? `?${found}` : "";
}

/** Return the seconds to wait after an attempt: what the platform says, or twice as many each time. */
function secondsBefore(attempt: number, response: Response | undefined): number {
  const said = Number(response?.headers.get("Retry-After") ?? Number.NaN);
  return Math.min(said >= 0 ? said : 0.25 * 2 ** attempt, LONGEST_WAIT_SECONDS);
}

/** Wait. Throws the reason of the signal when it is aborted. */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1_000);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) {
      stop();
    }
  });
}
