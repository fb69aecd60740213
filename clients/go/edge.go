package placard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Consent is the visitor's choices as your page or app has them; a nil or empty field is no signal. Without any, nothing
// is personalised unless the property's consent policy says so.
type Consent struct {
	GDPR *bool

	// GDPRConsent is a TC string.
	GDPRConsent string
	GPP         string

	// GPPSID are section ids, comma-separated.
	GPPSID    string
	USPrivacy string
	COPPA     *bool

	// LGPD is "1", "0" or a TC string.
	LGPD string

	// NPA true: do not personalise.
	NPA *bool

	// GPC is Global Privacy Control: the visitor's Sec-GPC: 1.
	GPC bool
}

// Visitor is the person who sees the ad, made once for each request that your server receives. IP and UA are theirs, not
// your server's: without them all visitors are where your server is, and the traffic filter judges your server.
type Visitor struct {
	IP, UA string

	// UID is your own opaque id of them, for frequency caps.
	UID string

	// Lang is as in Accept-Language.
	Lang     string
	Segments []string
	Consent  Consent
}

// ServeOptions say more of an opportunity. Fields that are zero are not sent.
type ServeOptions struct {
	Format        AdFormat
	Width, Height int
	Keywords      []string
	KeyValues     map[string][]string

	// Surface is what the ad is shown on.
	Surface   Surface
	URL       string
	PreviewAd string

	// Debug explains the decision; test or secret keys.
	Debug bool

	// TestScenario simulates an outcome; test keys only.
	TestScenario ServeScenario
}

// Decision with Ad nil is no fill, which is no error: show nothing. NoFillReason and DecisionID of a no-fill are there for
// test keys, and for secret keys with Debug.
type Decision struct {
	Ad           *ServedAd
	NoFillReason NoFillReason
	DecisionID   string
}

// EdgeClient serves ads and reports what happens to them.
type EdgeClient struct {
	EdgeService
}

// NewEdgeClient takes a secret key (sk_), or a publishable key (pk_) of a property with server rendering, and the address
// of the edge of the key's environment.
func NewEdgeClient(key, edgeURL string, options Options) (*EdgeClient, error) {
	made, err := newTransport(edgeURL, key, []string{"pk_", "sk_"}, options.withUsual(3*time.Second))
	if err != nil {
		return nil, err
	}
	return &EdgeClient{EdgeService{made}}, nil
}

// Serve decides on an ad for visitor in slot, which is a key or an id. The consent of visitor is sent every time.
func (c *EdgeClient) Serve(ctx context.Context, slot string, visitor Visitor, options ServeOptions) (*Decision, error) {
	header, body, err := c.transport.send(ctx, serveCall([]string{slot}, visitor, options))
	if err != nil {
		return nil, err
	}
	decision := &Decision{
		NoFillReason: NoFillReason(header.Get("X-No-Fill-Reason")),
		DecisionID:   header.Get("X-Decision-Id"),
	}
	if len(body) == 0 {
		return decision, nil
	}
	if err := json.Unmarshal(body, &decision.Ad); err != nil {
		return nil, fmt.Errorf("placard: the response has another shape than this version of the library knows: %w", err)
	}
	decision.DecisionID = decision.Ad.DecisionID
	return decision, nil
}

// ServeSlots decides for two to ten slots of one page, in their order; no advertiser comes twice unless there is no other.
func (c *EdgeClient) ServeSlots(
	ctx context.Context, slots []string, visitor Visitor, options ServeOptions,
) ([]SlotAnswer, error) {
	if len(slots) < 2 {
		return nil, errors.New("placard: ServeSlots takes two slots or more; use Serve for one")
	}
	found, err := request[page[SlotAnswer]](ctx, c.transport, serveCall(slots, visitor, options), nil)
	if err != nil {
		return nil, err
	}
	return found.Data, nil
}

// Track reports an event. It counts once, however often it is sent. Send the address and user agent of who did it as IP
// and UA of event; the traffic filter judges by them.
func (c *EdgeClient) Track(ctx context.Context, event TrackRequest) error {
	_, err := request[struct{}](
		ctx, c.transport, call{method: "POST", path: "/v1/track", body: event, repeatable: true}, nil)
	return err
}

// TrackBatch reports up to 50 events at once; one result for each, in their order. A refused event is no error.
func (c *EdgeClient) TrackBatch(ctx context.Context, events []TrackRequest) ([]TrackResult, error) {
	body := map[string]any{"events": events}
	found, err := request[struct {
		Results []TrackResult `json:"results"`
	}](ctx, c.transport, call{method: "POST", path: "/v1/track/batch", body: body, repeatable: true}, nil)
	if err != nil {
		return nil, err
	}
	return found.Results, nil
}

func serveCall(slots []string, visitor Visitor, options ServeOptions) call {
	query := url.Values{"slot": {strings.Join(slots, ",")}}
	consent := visitor.Consent
	for name, value := range map[string]string{
		"format":        string(options.Format),
		"w":             number(options.Width),
		"h":             number(options.Height),
		"keywords":      strings.Join(options.Keywords, ","),
		"surface":       string(options.Surface),
		"url":           options.URL,
		"preview_ad":    options.PreviewAd,
		"debug":         flag(&options.Debug),
		"test_scenario": string(options.TestScenario),
		"ip":            visitor.IP,
		"ua":            visitor.UA,
		"uid":           visitor.UID,
		"lang":          visitor.Lang,
		"segments":      strings.Join(visitor.Segments, ","),
		"gdpr":          flag(consent.GDPR),
		"gdpr_consent":  consent.GDPRConsent,
		"gpp":           consent.GPP,
		"gpp_sid":       consent.GPPSID,
		"us_privacy":    consent.USPrivacy,
		"coppa":         flag(consent.COPPA),
		"lgpd":          consent.LGPD,
		"npa":           flag(consent.NPA),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if !options.Debug {
		query.Del("debug")
	}
	for name, values := range options.KeyValues {
		query["kv."+name] = values
	}
	header := http.Header{}
	if consent.GPC {
		header.Set("Sec-GPC", "1")
	}
	return call{method: "GET", path: "/v1/serve", query: query, header: header, repeatable: true}
}

func number(value int) string {
	if value == 0 {
		return ""
	}
	return strconv.Itoa(value)
}

func flag(value *bool) string {
	switch {
	case value == nil:
		return ""
	case *value:
		return "1"
	default:
		return "0"
	}
}
