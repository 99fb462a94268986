/** Errors of the client. */
import type { components } from "./api.js";

export type ProblemDetails = components["schemas"]["ProblemDetails"];

/** The platform refused a request, or could not answer it. The message is one line that says why. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  /** Status of the answer: 401 and 403 for rights, 404 and 409 for what was asked for, 422 for its form. */
  readonly status: number;
  /** The reason as the platform gave it (RFC 9457). */
  readonly problem: ProblemDetails;

  constructor(problem: ProblemDetails) {
    super(problem.detail);
    this.status = problem.status;
    this.problem = problem;
  }

  /** Return the error in an answer. Proxies answer in forms of their own. */
  static async of(response: Response, path: string): Promise<ProblemError> {
    const { status, statusText } = response;
    const text = await response.text();
    if (response.headers.get("content-type")?.startsWith("application/problem+json")) {
      return new ProblemError(JSON.parse(text) as ProblemDetails);
    }
    const detail = `${status} ${statusText}, without a reason from the platform`;
    return new ProblemError({ type: "about:blank", title: statusText, status, detail, instance: path });
  }
}

/** The platform could not be reached. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}
