/** Client library of the Placard ad server, for servers in Node. */

export * from "./cursors.js";
export * from "./edge.js";
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ExpiredError,
  InvalidRequestError,
  InvalidResponseError,
  NetworkError,
  NotFoundError,
  PermissionDeniedError,
  PlacardError,
  RateLimitedError,
  RequestTimeoutError,
  ServerError,
} from "./errors.js";
export * from "./management.js";
export type { Creation } from "./operations.js";
export type { Retries } from "./retries.js";
export type { ClientOptions } from "./transport.js";
export type * as types from "./types.js";
export { VERSION } from "./version.js";
