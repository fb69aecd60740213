package placard

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// longestPause is how long a client waits at most; it returns the error instead.
const longestPause = 60 * time.Second

type call struct {
	method, path string
	query        url.Values
	body         any
	header       http.Header

	// version is sent as If-Match unless it is 0.
	version int64

	// creates: the call carries an idempotency key.
	creates        bool
	idempotencyKey string

	// repeatable: executing it twice changes nothing more than once does.
	repeatable bool
}

// transport sends calls, and sends them again where that can help. There is one for each key: after a 429, no request is
// sent with it before the service's pause is over.
type transport struct {
	url     string
	header  http.Header
	options Options

	mutex   sync.Mutex
	until   time.Time
	refusal *Error
}

func newTransport(address, key string, kinds []string, options Options) (*transport, error) {
	header := http.Header{}
	for _, kind := range kinds {
		if strings.HasPrefix(key, kind) {
			header.Set("Authorization", "Bearer "+key)
		}
	}
	if len(header) == 0 {
		return nil, fmt.Errorf("placard: the key must begin with one of %s", strings.Join(kinds, ", "))
	}
	if strings.HasPrefix(key, "pk_") {
		header = http.Header{"X-Service-Key": {key}}
	}
	header.Set("X-Placard-Client", client)
	header.Set("User-Agent", "placard-"+client)
	header.Set("Accept", "application/json")
	return &transport{url: strings.TrimRight(address, "/"), header: header, options: options}, nil
}

// send returns the header and the body of a successful response.
func (t *transport) send(ctx context.Context, c call) (http.Header, []byte, error) {
	var content []byte
	if c.body != nil {
		var err error
		if content, err = json.Marshal(c.body); err != nil {
			return nil, nil, fmt.Errorf("placard: the body cannot be written as JSON: %w", err)
		}
	}
	if c.creates && c.idempotencyKey == "" {
		c.idempotencyKey = rand.Text() // once for each call, so that its attempts are one call to the service
	}
	for retried := 0; ; retried++ {
		if err := t.awaitPause(ctx); err != nil {
			return nil, nil, err
		}
		header, body, err := t.sendOnce(ctx, c, content)
		if err == nil {
			return header, body, nil
		}
		t.keepPause(err)
		pause, again := t.pauseAfter(err, retried, c.repeatable)
		if !again {
			return nil, nil, err
		}
		if stopped := t.sleep(ctx, pause); stopped != nil {
			return nil, nil, stopped
		}
	}
}

func (t *transport) sendOnce(ctx context.Context, c call, content []byte) (http.Header, []byte, *Error) {
	attempt, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	address := t.url + c.path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	request, err := http.NewRequestWithContext(attempt, c.method, address, bytes.NewReader(content))
	if err != nil {
		return nil, nil, t.networkError(ctx, err, false)
	}
	request.Header = t.header.Clone()
	for name, values := range c.header {
		request.Header[name] = values
	}
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.version != 0 {
		request.Header.Set("If-Match", strconv.FormatInt(c.version, 10))
	}
	if c.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", c.idempotencyKey)
	}
	response, err := t.options.HTTPClient.Do(request)
	if err != nil {
		return nil, nil, t.networkError(ctx, err, true)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, t.networkError(ctx, err, true)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, nil, errorOf(response, body)
	}
	if len(body) > 0 && !json.Valid(body) {
		return nil, nil, errorOf(response, nil)
	}
	return response.Header, body, nil
}

func (t *transport) networkError(ctx context.Context, cause error, wasSent bool) *Error {
	found := &Error{
		Code:    "network",
		Message: fmt.Sprintf("No response from %s: %v", t.url, cause),
		family:  ErrNetwork,
		cause:   cause,
		wasSent: wasSent,
	}
	var dialled *net.OpError
	if errors.As(cause, &dialled) && dialled.Op == "dial" {
		found.wasSent = false
	}
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, os.ErrDeadlineExceeded) {
		found.Code, found.family = "timeout", ErrTimeout
		found.Message = t.url + " did not respond in time."
	}
	if ctx.Err() != nil {
		found.cause = ctx.Err()
	}
	return found
}

// pauseAfter is the pause before the next attempt. Calls that are not repeatable are sent again only if they were not
// executed: they did not leave, or were refused before any work.
func (t *transport) pauseAfter(failure *Error, retried int, repeatable bool) (time.Duration, bool) {
	if retried >= t.options.MaxRetries || errors.Is(failure.cause, context.Canceled) {
		return 0, false
	}
	again := false
	switch {
	case failure.Status == 0:
		again = repeatable || !failure.wasSent
	case failure.Status == http.StatusTooManyRequests, failure.Code == "unavailable", failure.Code == "idempotency_in_progress":
		again = true
	case failure.Status >= http.StatusInternalServerError:
		again = repeatable
	}
	own := float64(t.options.RetryBase) * float64(int64(1)<<retried) * (0.5 + t.options.Random())
	pause := max(time.Duration(own), failure.RetryAfter)
	return pause, again && pause <= longestPause
}

func (t *transport) keepPause(failure *Error) {
	if failure.Status == http.StatusTooManyRequests {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		t.until, t.refusal = t.options.Now().Add(failure.RetryAfter), failure
	}
}

func (t *transport) awaitPause(ctx context.Context) error {
	for {
		t.mutex.Lock()
		left, refusal := t.until.Sub(t.options.Now()), t.refusal
		t.mutex.Unlock()
		if refusal == nil || left <= 0 {
			return nil
		}
		if left > longestPause {
			return refusal
		}
		if err := t.sleep(ctx, left); err != nil {
			return err
		}
	}
}

// sleep ends early with the error of ctx.
func (t *transport) sleep(ctx context.Context, pause time.Duration) error {
	if t.options.Sleep != nil {
		t.options.Sleep(pause)
		return ctx.Err()
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func request[T any](ctx context.Context, t *transport, c call, options []CallOption) (*T, error) {
	for _, change := range options {
		change(&c)
	}
	_, body, err := t.send(ctx, c)
	if err != nil {
		return nil, err
	}
	found := new(T)
	if len(body) == 0 {
		return found, nil
	}
	if err := json.Unmarshal(body, found); err != nil {
		return nil, fmt.Errorf("placard: the response has another shape than this version of the library knows: %w", err)
	}
	return found, nil
}

type page[T any] struct {
	Data       []T     `json:"data"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}

// items are those of all pages. A page is requested when the one before is used up. An error is the last thing given.
func items[T any](ctx context.Context, t *transport, path string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		// Each range begins at the first page.
		query := maps.Clone(query)
		for {
			found, err := request[page[T]](ctx, t, call{method: "GET", path: path, query: query, repeatable: true}, nil)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range found.Data {
				if !yield(item, nil) {
					return
				}
			}
			if !found.HasMore || found.NextCursor == nil {
				return
			}
			query.Set("cursor", *found.NextCursor)
		}
	}
}

// addQuery adds a parameter unless it is zero; lists are comma-separated.
func addQuery(values url.Values, name string, given any) {
	value := reflect.ValueOf(given)
	switch {
	case value.IsZero():
	case value.Kind() == reflect.Pointer:
		values.Set(name, fmt.Sprint(value.Elem()))
	case value.Kind() == reflect.Slice:
		texts := make([]string, value.Len())
		for i := range texts {
			texts[i] = fmt.Sprint(value.Index(i))
		}
		values.Set(name, strings.Join(texts, ","))
	default:
		values.Set(name, fmt.Sprint(given))
	}
}
