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
export class PlacardError extends Error {
    code;
    constructor(code, message, options) {
        super(message, options);
        this.name = new.target.name;
        this.code = code;
    }
}
/** No response came. `wasSent` false: the request never left, so nothing happened. */
export class NetworkError extends PlacardError {
    wasSent;
    constructor(message, wasSent, cause, code = "network") {
        super(code, message, { cause });
        this.wasSent = wasSent;
    }
}
export class RequestTimeoutError extends NetworkError {
    constructor(message, cause) {
        super(message, true, cause, "timeout");
    }
}
export class ApiError extends PlacardError {
    status;
    requestId;
    param;
    details;
    retryAfterMs;
    constructor(code, message, fields) {
        super(code, message);
        this.status = fields.status;
        this.requestId = fields.requestId;
        this.param = fields.param;
        this.details = fields.details;
        this.retryAfterMs = fields.retryAfterMs;
    }
}
export class InvalidResponseError extends ApiError {
}
export class AuthenticationError extends ApiError {
}
export class PermissionDeniedError extends ApiError {
}
export class NotFoundError extends ApiError {
}
export class ConflictError extends ApiError {
}
export class ExpiredError extends ApiError {
}
export class RateLimitedError extends ApiError {
}
export class ServerError extends ApiError {
}
export class InvalidRequestError extends ApiError {
}
const BY_STATUS = new Map([
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [409, ConflictError],
    [410, ExpiredError],
    [412, ConflictError],
    [428, ConflictError],
    [429, RateLimitedError],
]);
/** `body`: the parsed JSON of the response; undefined where it is none. */
export function errorOf(response, body) {
    const { status, headers } = response;
    const retryAfter = headers.get("retry-after");
    const fields = {
        status,
        requestId: headers.get("x-request-id"),
        param: null,
        details: [],
        retryAfterMs: retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : null,
    };
    const error = body?.error;
    if (typeof error?.["code"] !== "string")
        return invalidResponse(status, fields);
    const kind = BY_STATUS.get(status) ?? (status >= 500 ? ServerError : InvalidRequestError);
    return new kind(error["code"], String(error["message"] ?? ""), {
        ...fields,
        requestId: error["request_id"] ?? fields.requestId,
        param: error["param"] ?? null,
        details: error["details"] ?? [],
    });
}
/** Of a proxy on the way, say. Its 429 is a `RateLimitedError`, whose pause holds too. */
export function invalidResponse(status, fields) {
    const message = `The response with status ${status} is not from Placard. Check the address, and proxies on the way.`;
    const kind = status === 429 ? RateLimitedError : InvalidResponseError;
    return new kind("invalid_response", message, fields);
}
