import type { ErrorDetail } from "./types.js";
/**
 * The errors of all calls:
 *
 *     PlacardError
 *     ├── NetworkError                 no response
 *     │   └── RequestTimeoutError      none in time
 *     └── ApiError                     a response that is no success
 *         ├── InvalidResponseError     not one of Placard's: a proxy's page, say
 *         ├── AuthenticationError      401: missing_key, invalid_key
 *         ├── PermissionDeniedError    403: key_revoked, wrong_environment, insufficient_scope
 *         ├── NotFoundError            404: slot_not_found
 *         ├── ConflictError            409, 412, 428: invalid_state, already_exists, version_conflict
 *         ├── ExpiredError             410: token_expired, cursor_expired
 *         ├── RateLimitedError         429
 *         ├── ServerError              5xx
 *         └── InvalidRequestError      other 4xx: validation_failed, invalid_json, token_invalid
 *
 * `code` is the stable name of what happened; codes are added over time.
 */
export declare class PlacardError extends Error {
    readonly code: string;
    constructor(code: string, message: string, options?: ErrorOptions);
}
/** No response came. `wasSent` false: the request never left, so nothing happened. */
export declare class NetworkError extends PlacardError {
    readonly wasSent: boolean;
    constructor(message: string, wasSent: boolean, cause?: unknown, code?: string);
}
export declare class RequestTimeoutError extends NetworkError {
    constructor(message: string, cause?: unknown);
}
export interface ApiErrorFields {
    readonly status: number;
    readonly requestId: string | null;
    readonly param: string | null;
    readonly details: readonly ErrorDetail[];
    /** How long the service asks its client to wait; null where it does not say. */
    readonly retryAfterMs: number | null;
}
export declare class ApiError extends PlacardError implements ApiErrorFields {
    readonly status: number;
    readonly requestId: string | null;
    readonly param: string | null;
    readonly details: readonly ErrorDetail[];
    readonly retryAfterMs: number | null;
    constructor(code: string, message: string, fields: ApiErrorFields);
}
export declare class InvalidResponseError extends ApiError {
}
export declare class AuthenticationError extends ApiError {
}
export declare class PermissionDeniedError extends ApiError {
}
export declare class NotFoundError extends ApiError {
}
export declare class ConflictError extends ApiError {
}
export declare class ExpiredError extends ApiError {
}
export declare class RateLimitedError extends ApiError {
}
export declare class ServerError extends ApiError {
}
export declare class InvalidRequestError extends ApiError {
}
/** `body`: the parsed JSON of the response; undefined where it is none. */
export declare function errorOf(response: Response, body: unknown): ApiError;
/** Of a proxy on the way, say. Its 429 is a `RateLimitedError`, whose pause holds too. */
export declare function invalidResponse(status: number, fields: ApiErrorFields): ApiError;
