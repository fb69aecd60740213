<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of ErrorCode; others are added over time. */
final class ErrorCode
{
    public const MISSING_KEY = 'missing_key';
    public const INVALID_KEY = 'invalid_key';
    public const KEY_REVOKED = 'key_revoked';
    public const TENANT_SUSPENDED = 'tenant_suspended';
    public const WRONG_ENVIRONMENT = 'wrong_environment';
    public const PROPERTY_UNVERIFIED = 'property_unverified';
    public const RATE_LIMITED = 'rate_limited';
    public const INSUFFICIENT_SCOPE = 'insufficient_scope';
    public const NOT_AVAILABLE_TO_INTEGRATION_KEYS = 'not_available_to_integration_keys';
    public const PERMISSION_LOST = 'permission_lost';
    public const PERMISSION_DENIED = 'permission_denied';
    public const INVALID_JSON = 'invalid_json';
    public const VALIDATION_FAILED = 'validation_failed';
    public const BAD_REQUEST = 'bad_request';
    public const INVALID_GRANT = 'invalid_grant';
    public const EMAIL_UNVERIFIED = 'email_unverified';
    public const TOKEN_INVALID = 'token_invalid';
    public const TOKEN_EXPIRED = 'token_expired';
    public const TOKEN_MISMATCH = 'token_mismatch';
    public const SLOT_NOT_FOUND = 'slot_not_found';
    public const NOT_FOUND = 'not_found';
    public const METHOD_NOT_ALLOWED = 'method_not_allowed';
    public const ALREADY_EXISTS = 'already_exists';
    public const INVALID_STATE = 'invalid_state';
    public const INSUFFICIENT_BALANCE = 'insufficient_balance';
    public const LIMIT_REACHED = 'limit_reached';
    public const VERSION_CONFLICT = 'version_conflict';
    public const VERSION_REQUIRED = 'version_required';
    public const IDEMPOTENCY_KEY_REUSED = 'idempotency_key_reused';
    public const IDEMPOTENCY_IN_PROGRESS = 'idempotency_in_progress';
    public const CURSOR_INVALID = 'cursor_invalid';
    public const CURSOR_EXPIRED = 'cursor_expired';
    public const DECISION_EXPIRED = 'decision_expired';
    public const PAYLOAD_TOO_LARGE = 'payload_too_large';
    public const URI_TOO_LONG = 'uri_too_long';
    public const HEADERS_TOO_LARGE = 'headers_too_large';
    public const RANGE_NOT_SATISFIABLE = 'range_not_satisfiable';
    public const UNSUPPORTED_MEDIA_TYPE = 'unsupported_media_type';
    public const REQUEST_TIMEOUT = 'request_timeout';
    public const INTERNAL = 'internal';
    public const UNAVAILABLE = 'unavailable';
}
