// Package placard is the client library of the Placard ad server.
//
// [EdgeClient] serves ads and reports what happens to them. [ManagementClient] manages campaigns, ads, properties, keys
// and reports, and reads events. Both are safe for use by several goroutines, and keep connections open between calls.
package placard

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"time"
)

// Optional is a field of a request that may be left out. Its zero value is not sent.
type Optional[T any] struct {
	value T
	isSet bool
	null  bool
}

// Some is a field with a value.
func Some[T any](value T) Optional[T] { return Optional[T]{value: value, isSet: true} }

// Null is a field with the value null, which clears it.
func Null[T any]() Optional[T] { return Optional[T]{isSet: true, null: true} }

// IsZero reports whether the field is left out.
func (o Optional[T]) IsZero() bool { return !o.isSet }

// MarshalJSON implements json.Marshaler.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.null || !o.isSet {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	o.isSet, o.null = true, string(text) == "null"
	return json.Unmarshal(text, &o.value)
}

// Flag is a feature flag of a property: a boolean or a text.
type Flag struct{ value any }

// BoolFlag is a flag that is on or off.
func BoolFlag(on bool) Flag { return Flag{on} }

// TextFlag is a flag with a text.
func TextFlag(text string) Flag { return Flag{text} }

// Bool returns the flag's boolean; ok is false if it has none.
func (f Flag) Bool() (on, ok bool) {
	on, ok = f.value.(bool)
	return on, ok
}

// Text returns the flag's text; ok is false if it has none.
func (f Flag) Text() (text string, ok bool) {
	text, ok = f.value.(string)
	return text, ok
}

// MarshalJSON implements json.Marshaler.
func (f Flag) MarshalJSON() ([]byte, error) { return json.Marshal(f.value) }

// UnmarshalJSON implements json.Unmarshaler. A value of a kind that is added later is neither boolean nor text.
func (f *Flag) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &f.value) }

// Options of a client. The zero value of each field means its usual value.
type Options struct {
	// Timeout of one attempt, its response included: 3 s for the edge, 30 s for management.
	Timeout time.Duration

	// HTTPClient with a transport of yours. Its own timeout applies too.
	HTTPClient *http.Client

	// MaxRetries of a failed call: 3. Negative: none.
	MaxRetries int

	// RetryBase is the first pause between attempts: 500 ms. It doubles with each, times 0.5 to 1.5 at random.
	RetryBase time.Duration

	// Random, Sleep and Now are for tests: a number from 0 to 1, a pause, and a clock.
	Random func() float64
	Sleep  func(time.Duration)
	Now    func() time.Time
}

func (o Options) withUsual(timeout time.Duration) Options {
	if o.Timeout == 0 {
		o.Timeout = timeout
	}
	if o.HTTPClient == nil {
		// The usual two idle connections for each host are few for a server.
		pool := http.DefaultTransport.(*http.Transport).Clone()
		pool.MaxIdleConnsPerHost = 100
		o.HTTPClient = &http.Client{Transport: pool}
	}
	// A redirect is no response of Placard's, and a key belongs to the address that was given.
	own := *o.HTTPClient
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.HTTPClient = &own
	if o.MaxRetries == 0 {
		o.MaxRetries = 3
	}
	if o.RetryBase == 0 {
		o.RetryBase = 500 * time.Millisecond
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// CallOption changes one call.
type CallOption func(*call)

// WithIdempotencyKey names a call that creates, so that a later call with the same key creates nothing more. Without it,
// the library makes one, the same for all attempts of the call.
func WithIdempotencyKey(key string) CallOption { return func(c *call) { c.idempotencyKey = key } }

// WithVersion makes an act depend on the version of its object (If-Match).
func WithVersion(version int64) CallOption { return func(c *call) { c.version = version } }
