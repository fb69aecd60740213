package placard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The families of errors, for errors.Is:
//
//	errors.Is(err, placard.ErrRateLimited)
//
// For the code, the status, the request id and the fields, use errors.As with *Error.
var (
	ErrNetwork          = errors.New("no response")
	ErrTimeout          = errors.New("no response in time")
	ErrInvalidResponse  = errors.New("a response that is not Placard's")
	ErrAuthentication   = errors.New("401: missing_key, invalid_key")
	ErrPermissionDenied = errors.New("403: key_revoked, wrong_environment, insufficient_scope")
	ErrNotFound         = errors.New("404: slot_not_found")
	ErrConflict         = errors.New("409, 412, 428: invalid_state, already_exists, version_conflict")
	ErrExpired          = errors.New("410: token_expired, cursor_expired")
	ErrRateLimited      = errors.New("429")
	ErrServer           = errors.New("5xx")
	ErrInvalidRequest   = errors.New("other 4xx: validation_failed, invalid_json, token_invalid")
)

// Error of a call. Code is the stable name of what happened; codes are added over time.
type Error struct {
	Code    string
	Message string

	// Status is 0 where no response came.
	Status    int
	RequestID string
	Param     string
	Details   []ErrorDetail

	// RetryAfter is how long the service asks its client to wait.
	RetryAfter time.Duration

	family  error
	cause   error
	wasSent bool
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Unwrap gives the family of the error, and what caused it.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.family}
	}
	return []error{e.family, e.cause}
}

// Is reports a timeout as ErrNetwork too, because no response came.
func (e *Error) Is(target error) bool { return target == ErrNetwork && e.family == ErrTimeout }

func familyOf(status int) error {
	switch {
	case status == http.StatusUnauthorized:
		return ErrAuthentication
	case status == http.StatusForbidden:
		return ErrPermissionDenied
	case status == http.StatusNotFound:
		return ErrNotFound
	case status == http.StatusConflict, status == http.StatusPreconditionFailed, status == http.StatusPreconditionRequired:
		return ErrConflict
	case status == http.StatusGone:
		return ErrExpired
	case status == http.StatusTooManyRequests:
		return ErrRateLimited
	case status >= http.StatusInternalServerError:
		return ErrServer
	default:
		return ErrInvalidRequest
	}
}

func errorOf(response *http.Response, body []byte) *Error {
	found := &Error{
		Status:    response.StatusCode,
		RequestID: response.Header.Get("X-Request-Id"),
		family:    familyOf(response.StatusCode),
		wasSent:   true,
	}
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil {
		found.RetryAfter = time.Duration(seconds) * time.Second
	}
	var envelope struct {
		Error ErrorBody `json:"error"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Error.Code == "" {
		// A proxy's 429 stays one: its pause holds too.
		if found.family != ErrRateLimited {
			found.family = ErrInvalidResponse
		}
		found.Code = "invalid_response"
		found.Message = fmt.Sprintf(
			"The response with status %d is not from Placard. Check the address, and proxies on the way.", found.Status)
		return found
	}
	found.Code, found.Message, found.Details = envelope.Error.Code, envelope.Error.Message, envelope.Error.Details
	if envelope.Error.RequestID != nil {
		found.RequestID = *envelope.Error.RequestID
	}
	if envelope.Error.Param != nil {
		found.Param = *envelope.Error.Param
	}
	return found
}
