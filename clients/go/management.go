package placard

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"
)

// ManagementClient manages campaigns, ads, properties, keys and reports, and reads events.
type ManagementClient struct {
	ManagementServices
}

// NewManagementClient takes an integration key (ak_) or an access token (at_). A secret key (sk_) reaches Caller alone.
func NewManagementClient(key, baseURL string, options Options) (*ManagementClient, error) {
	made, err := newTransport(baseURL, key, []string{"ak_", "at_", "sk_"}, options.withUsual(30*time.Second))
	if err != nil {
		return nil, err
	}
	return &ManagementClient{servicesOf(made)}, nil
}

// CursorStore keeps the position of a reader of events: a row of your database, a key of your cache.
type CursorStore interface {
	// Load gives the cursor saved last; empty before the first.
	Load(ctx context.Context) (string, error)

	// Save is called when every event before cursor has been handled.
	Save(ctx context.Context, cursor string) error
}

// CursorFile is a path. The file is replaced as a whole, so that a crash leaves the old cursor or the new one.
type CursorFile string

// Load implements CursorStore.
func (f CursorFile) Load(context.Context) (string, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// Save implements CursorStore.
func (f CursorFile) Save(_ context.Context, cursor string) error {
	path := string(f) + ".new"
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(cursor)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path, string(f))
}

// FollowOptions of a reader. The zero value begins at the oldest event kept, and polls every two seconds.
type FollowOptions struct {
	// FromNow begins at the newest event where the store is empty.
	FromNow bool
	Poll    time.Duration
}

// Follow gives every event, oldest first, until ctx ends. The fields of query except Cursor are filters; a cursor is valid
// only with the filters it was created with.
//
// The cursor is saved after the last event of a page was handled, so a reader that is stopped within a page reads that
// page again: handle each event by its ID, at least once. An error is the last thing given: ErrExpired if the cursor is
// older than the retention.
func (s EventsService) Follow(
	ctx context.Context, cursors CursorStore, query EventsListQuery, options FollowOptions,
) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := s.follow(ctx, cursors, query, options, yield); err != nil {
			yield(Event{}, err)
		}
	}
}

func (s EventsService) follow(
	ctx context.Context, cursors CursorStore, query EventsListQuery, options FollowOptions,
	yield func(Event, error) bool,
) error {
	if options.Poll == 0 {
		options.Poll = 2 * time.Second
	}
	cursor, err := cursors.Load(ctx)
	if err != nil {
		return err
	}
	if cursor == "" && options.FromNow {
		newest := query
		newest.Limit = 1
		found, err := s.ListPage(ctx, newest)
		if err != nil {
			return err
		}
		if found.NextCursor != nil {
			cursor = *found.NextCursor
			if err := cursors.Save(ctx, cursor); err != nil {
				return err
			}
		}
	}
	for {
		if query.Cursor = cursor; cursor == "" {
			query.Cursor = "earliest"
		}
		found, err := s.ListPage(ctx, query)
		if err != nil {
			return err
		}
		for _, event := range found.Data {
			if !yield(event, nil) {
				return nil
			}
		}
		if found.NextCursor != nil && *found.NextCursor != cursor {
			cursor = *found.NextCursor
			if err := cursors.Save(ctx, cursor); err != nil {
				return err
			}
		}
		if !found.HasMore {
			if err := s.transport.sleep(ctx, options.Poll); err != nil {
				return err
			}
		}
	}
}
