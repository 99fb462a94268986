/** Client of a Nemuri platform, for Node and browsers. */
export { NemuriClient } from "./client.js";
export type {
  AskOptions,
  CallOptions,
  ClientOptions,
  ConverseOptions,
  ErasureTarget,
  Message,
  RecallOptions,
  RecordedEvent,
  TaskEvent,
} from "./client.js";
export { ConnectionError, ProblemError } from "./errors.js";
export type { ProblemDetails } from "./errors.js";
export type { components, operations, paths } from "./api.js";
