// Command driver runs the library as a program of its user would, for the tests of this repository: one JSON command a
// line on standard input, one JSON answer a line on standard output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"time"

	placard "placard.example/placard/clients/go"
)

type object = map[string]any

type command struct {
	Do             string
	EdgeURL        string `json:"edge_url"`
	EdgeKey        string `json:"edge_key"`
	BaseURL        string `json:"base_url"`
	ManagementKey  string `json:"management_key"`
	Virtual        bool
	Random         *float64
	TimeoutMS      int64 `json:"timeout_ms"`
	Request        serveRequest
	Consent        consent
	Slots          []string
	Token          string
	Event          string
	IP             string
	UA             string
	Conversion     conversion
	Events         []placard.TrackRequest
	Body           placard.ConversionBody
	IdempotencyKey string `json:"idempotency_key"`
	KeyID          string `json:"key_id"`
	CampaignID     string `json:"campaign_id"`
	ClickID        string `json:"click_id"`
	Email          placard.EmailPrepareBody
	Stitch         placard.StitchBody
	CursorFile     string `json:"cursor_file"`
	Count          int
	Title          string
	Calls          []command
	AtMS           int64 `json:"at_ms"`
}

type serveRequest struct {
	Slot, Format, IP, UA, UID, Lang string
	Width, Height                   int
	Keywords                        []string
	KeyValues                       map[string]any `json:"key_values"`
	TestScenario                    string         `json:"test_scenario"`
	Debug                           bool
}

type consent struct {
	GDPR        *bool
	GDPRConsent string `json:"gdpr_consent"`
	GPP         string
	GPPSID      string `json:"gpp_sid"`
	USPrivacy   string `json:"us_privacy"`
	COPPA       *bool
	LGPD        *bool
	NPA         *bool
}

type conversion struct {
	ValueCents *int64  `json:"value_cents"`
	Currency   *string `json:"currency"`
	OrderID    *string `json:"order_id"`
}

type driver struct {
	ctx        context.Context
	edge       *placard.EdgeClient
	management *placard.ManagementClient
	start      time.Time
	now        time.Time
	pauses     []int64

	// duringPause is called once, in the next pause.
	duringPause func()
}

func main() {
	start := time.Now()
	d := &driver{ctx: context.Background(), start: start, now: start}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var given command
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			log.Fatal(err)
		}
		d.pauses = []int64{}
		found := d.answer(given)
		found["pauses_ms"] = d.pauses
		if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
			log.Fatal(err)
		}
	}
}

func (d *driver) answer(c command) object {
	found, err := d.run(c)
	if err != nil {
		return refusal(err)
	}
	return found
}

func (d *driver) run(c command) (object, error) {
	switch c.Do {
	case "open":
		return d.open(c)
	case "serve":
		return d.serve(c)
	case "together":
		return d.together(c), nil
	case "serve_slots":
		answers, err := d.edge.ServeSlots(d.ctx, c.Slots, placard.Visitor{}, placard.ServeOptions{})
		return object{"status": "ok", "answers": answers}, err
	case "track":
		return object{"status": "counted"}, d.edge.Track(d.ctx, trackRequest(c))
	case "track_batch":
		results, err := d.edge.TrackBatch(d.ctx, c.Events)
		return object{"status": "ok", "results": results}, err
	case "convert":
		var options []placard.CallOption
		if c.IdempotencyKey != "" {
			options = append(options, placard.WithIdempotencyKey(c.IdempotencyKey))
		}
		found, err := d.edge.ReportConversion(d.ctx, &c.Body, options...)
		if err != nil {
			return nil, err
		}
		return object{"status": "ok", "conversion_id": found.ConversionID}, nil
	case "verify":
		found, err := d.edge.VerifyClick(d.ctx, &placard.ClickVerification{ClickID: c.ClickID})
		if err != nil {
			return nil, err
		}
		return object{"status": "ok", "valid": found.Valid}, nil
	case "email":
		found, err := d.edge.PrepareEmail(d.ctx, &c.Email)
		if err != nil {
			return nil, err
		}
		return object{"status": "ok", "items": found.Items, "filled": found.Filled}, nil
	case "stitch":
		found, err := d.edge.StitchAudio(d.ctx, &c.Stitch)
		if err != nil {
			return nil, err
		}
		return object{"status": "ok", "breaks": found.Breaks, "filled_ms": found.FilledMs}, nil
	case "rotate":
		found, err := d.management.SDKKeys.Rotate(d.ctx, c.KeyID)
		if err != nil {
			return nil, err
		}
		return object{"status": "ok", "key": found.Key}, nil
	case "pause":
		found, err := d.management.Campaigns.Pause(d.ctx, c.CampaignID)
		return object{"status": "ok", "campaign": found}, err
	case "events":
		return d.events(c)
	case "manage":
		return d.manage(c)
	}
	return nil, errors.New("unknown command " + c.Do)
}

// open: with Virtual, pauses are noted, not slept, and chance is Random.
func (d *driver) open(c command) (object, error) {
	var options placard.Options
	if c.Virtual {
		random := 0.5
		if c.Random != nil {
			random = *c.Random
		}
		options = placard.Options{
			Timeout: time.Duration(c.TimeoutMS) * time.Millisecond,
			Random:  func() float64 { return random },
			Now:     func() time.Time { return d.now },
			Sleep: func(pause time.Duration) {
				until := d.now.Add(pause)
				d.pauses = append(d.pauses, pause.Round(time.Millisecond).Milliseconds())
				if begin := d.duringPause; begin != nil {
					d.duringPause = nil
					begin()
				}
				if until.After(d.now) {
					d.now = until
				}
			},
		}
	}
	var err error
	if c.EdgeURL != "" {
		d.edge, err = placard.NewEdgeClient(c.EdgeKey, c.EdgeURL, options)
	}
	if c.BaseURL != "" && err == nil {
		d.management, err = placard.NewManagementClient(c.ManagementKey, c.BaseURL, options)
	}
	return object{"status": "ok"}, err
}

func (d *driver) serve(c command) (object, error) {
	given := c.Request
	visitor := placard.Visitor{
		IP: given.IP, UA: given.UA, UID: given.UID, Lang: given.Lang,
		Consent: placard.Consent{
			GDPR: c.Consent.GDPR, GDPRConsent: c.Consent.GDPRConsent,
			GPP: c.Consent.GPP, GPPSID: c.Consent.GPPSID,
			USPrivacy: c.Consent.USPrivacy, COPPA: c.Consent.COPPA, NPA: c.Consent.NPA,
		},
	}
	if c.Consent.LGPD != nil {
		visitor.Consent.LGPD = map[bool]string{true: "1", false: "0"}[*c.Consent.LGPD]
	}
	keyValues := map[string][]string{}
	for name, value := range given.KeyValues {
		if text, is := value.(string); is {
			keyValues[name] = []string{text}
			continue
		}
		for _, text := range value.([]any) {
			keyValues[name] = append(keyValues[name], text.(string))
		}
	}
	decision, err := d.edge.Serve(d.ctx, given.Slot, visitor, placard.ServeOptions{
		Format: placard.AdFormat(given.Format), Width: given.Width, Height: given.Height,
		Keywords: given.Keywords, KeyValues: keyValues, Debug: given.Debug,
		TestScenario: placard.ServeScenario(given.TestScenario),
	})
	if err != nil {
		return nil, err
	}
	if decision.Ad != nil {
		return object{"status": "filled", "ad": decision.Ad}, nil
	}
	reason := any(decision.NoFillReason)
	if decision.NoFillReason == "" {
		reason = nil
	}
	return object{"status": "no_fill", "reason": reason, "decision_id": decision.DecisionID}, nil
}

// together makes two calls of serve: the second begins in the first pause of the first, at its AtMS.
func (d *driver) together(c command) object {
	run := func(call command) object {
		call.Do = "serve"
		outcome := d.answer(call)
		outcome["ended_ms"] = d.now.Sub(d.start).Round(time.Millisecond).Milliseconds()
		return outcome
	}
	var second object
	d.start = d.now
	d.duringPause = func() {
		d.now = d.now.Add(time.Duration(c.Calls[1].AtMS) * time.Millisecond)
		second = run(c.Calls[1])
	}
	first := run(c.Calls[0])
	return object{"status": "ok", "outcomes": []object{first, second}}
}

func trackRequest(c command) placard.TrackRequest {
	event := placard.TrackRequest{Token: c.Token, Event: c.Event}
	if c.IP != "" {
		event.IP, event.UA = placard.Some(c.IP), placard.Some(c.UA)
	}
	if c.Conversion.ValueCents != nil {
		event.ValueCents = placard.Some(*c.Conversion.ValueCents)
		event.Currency = placard.Some(*c.Conversion.Currency)
		event.OrderID = placard.Some(*c.Conversion.OrderID)
	}
	return event
}

// events gives the ids of the next Count events, and takes one more so that their page is handled.
func (d *driver) events(c command) (object, error) {
	ids := []string{}
	query := placard.EventsListQuery{Kind: []placard.EventKind{placard.EventKindImpression}, Limit: 1}
	options := placard.FollowOptions{Poll: 50 * time.Millisecond}
	for event, err := range d.management.Events.Follow(d.ctx, placard.CursorFile(c.CursorFile), query, options) {
		if err != nil {
			return nil, err
		}
		if len(ids) == c.Count {
			break
		}
		ids = append(ids, event.ID)
	}
	return object{"status": "ok", "ids": ids}, nil
}

func (d *driver) manage(c command) (object, error) {
	campaigns := d.management.Campaigns
	body := placard.CampaignCreate{
		Name: c.Title, Objective: placard.ObjectiveAwareness, PricingModel: placard.PricingModelCpm, BidCents: 250,
	}
	key := placard.WithIdempotencyKey(c.Title)
	made, err := campaigns.Create(d.ctx, &body, placard.CampaignsCreateQuery{}, key)
	if err != nil {
		return nil, err
	}
	again, err := campaigns.Create(d.ctx, &body, placard.CampaignsCreateQuery{}, key)
	if err != nil {
		return nil, err
	}
	ad, err := d.management.Ads.Create(d.ctx, &placard.BannerAdCreate{
		CampaignID: made.ID,
		Name:       "Banner",
		Format:     "banner",
		ClickURL:   placard.Some("https://advertiser.example/"),
		Content: placard.BannerContent{
			ImageURL: placard.Some("https://advertiser.example/b.png"),
			Width:    placard.Some[int64](300),
			Height:   placard.Some[int64](250),
			Alt:      placard.Some("Ad"),
		},
	}, placard.AdsCreateQuery{})
	if err != nil {
		return nil, err
	}
	if _, err = d.management.Ads.Activate(d.ctx, ad.ID); err != nil {
		return nil, err
	}
	active, err := campaigns.Activate(d.ctx, made.ID)
	if err != nil {
		return nil, err
	}
	changes := placard.CampaignPatch{Name: placard.Some("Renamed"), EndAt: placard.Null[string]()}
	renamed, err := campaigns.Update(d.ctx, made.ID, &changes, active.Version)
	if err != nil {
		return nil, err
	}
	var conflict, invalid *placard.Error
	_, err = campaigns.Update(d.ctx, made.ID, &changes, active.Version)
	if !errors.Is(err, placard.ErrConflict) || !errors.As(err, &conflict) {
		return nil, err
	}
	body.BidCents = 0
	_, err = campaigns.Create(d.ctx, &body, placard.CampaignsCreateQuery{})
	if !errors.Is(err, placard.ErrInvalidRequest) || !errors.As(err, &invalid) {
		return nil, err
	}
	ids := map[string]bool{}
	for one, err := range campaigns.List(d.ctx, placard.CampaignsListQuery{Limit: 1}) {
		if err != nil {
			return nil, err
		}
		if ids[one.ID] = true; len(ids) == 3 {
			break
		}
	}
	report, err := d.management.Reports.Delivery(d.ctx, placard.ReportsDeliveryQuery{
		From:    "2026-01-01",
		Metrics: []placard.ReportMetric{placard.ReportMetricImpressions, placard.ReportMetricClicks},
	})
	if err != nil {
		return nil, err
	}
	paused, err := campaigns.Pause(d.ctx, made.ID)
	if err != nil {
		return nil, err
	}
	return object{
		"status":   "ok",
		"replayed": made.ID == again.ID,
		"name":     renamed.Name,
		"conflict": conflict.Code,
		"invalid": object{
			"code": invalid.Code, "status": invalid.Status,
			"param": invalid.Details[0].Param, "request_id": invalid.RequestID != "",
		},
		"listed":   len(ids),
		"reported": report.Totals.Impressions != nil,
		"state":    paused.Status,
	}, nil
}

func refusal(err error) object {
	var found *placard.Error
	if !errors.As(err, &found) {
		log.Fatal(err)
	}
	fields := object{"code": found.Code, "kind": kindOf(err), "message": found.Message}
	if found.Status != 0 {
		fields["status"] = found.Status
	}
	if len(found.Details) > 0 {
		fields["param"] = found.Details[0].Param
	}
	return object{"status": "error", "error": fields}
}

func kindOf(err error) string {
	for name, family := range map[string]error{
		"PermissionDenied": placard.ErrPermissionDenied, "NotFound": placard.ErrNotFound,
	} {
		if errors.Is(err, family) {
			return name
		}
	}
	return "other"
}
