// The flow by oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"
	"placard.example/flow/placard"
)

type stack struct {
	ControlUrl  string `json:"control_url"`
	EdgeTestUrl string `json:"edge_test_url"`
	Owner       struct{ Email, Password string }
	Property    struct{ Id uuid.UUID }
	Keys        map[string]struct{ Key string }
}

func must[T any](found T, err error) T {
	check(err)
	return found
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func wanted[T any](found *T, body []byte) T {
	if found == nil {
		check(fmt.Errorf("refused: %s", body))
	}
	return *found
}

func until(find func() bool) {
	for turn := 0; turn < 300; turn++ {
		if find() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	check(fmt.Errorf("it never came"))
}

func with(address, header, value string) *placard.ClientWithResponses {
	edit := func(_ context.Context, request *http.Request) error {
		request.Header.Set(header, value)
		return nil
	}
	return must(placard.NewClientWithResponses(address, placard.WithRequestEditorFn(edit)))
}

func main() {
	var demo stack
	check(json.Unmarshal([]byte(os.Getenv("PLACARD_DEMO")), &demo))
	mark := fmt.Sprintf("%x", time.Now().UnixNano())
	now := context.Background()

	anybody := must(placard.NewClientWithResponses(demo.ControlUrl))
	var request placard.TokenRequest
	grant := placard.PasswordGrant{Email: &demo.Owner.Email, Password: demo.Owner.Password}
	check(request.FromPasswordGrant(grant))
	token := must(anybody.GetTokenWithResponse(now, nil, request))
	bearer := "Bearer " + wanted(token.JSON200, token.Body).AccessToken
	signedIn := with(demo.ControlUrl, "Authorization", bearer)
	keyed := with(demo.ControlUrl, "Authorization", "Bearer "+demo.Keys["ak_test"].Key)
	page := with(demo.EdgeTestUrl, "X-Service-Key", demo.Keys["pk_test"].Key)

	key := "flow-" + mark
	made := must(signedIn.CreateSlotWithResponse(now, nil, placard.SlotCreate{
		PropertyId: demo.Property.Id, Name: mark, Key: &key,
		Formats: []placard.AdFormat{placard.AdFormatBanner},
	}))
	slot := wanted(made.JSON201, made.Body)

	include := []uuid.UUID{slot.Id}
	proposed := must(keyed.CreateCampaignWithResponse(now, &placard.CreateCampaignParams{IdempotencyKey: &mark},
		placard.CampaignCreate{
			Name: mark, Objective: placard.ObjectiveTraffic, PricingModel: placard.PricingModelCpm, BidCents: 500,
			Targeting: &placard.Targeting{Slots: &placard.SlotTargeting{Include: &include}},
		}))
	campaign := wanted(proposed.JSON201, proposed.Body)

	image, width, height, click := "https://advertiser.example/a.png", 300, 250, "https://advertiser.example/"
	var banner placard.AdCreate
	check(banner.FromBannerAdCreate(placard.BannerAdCreate{
		CampaignId: campaign.Id, Name: mark, ClickUrl: &click,
		Content: placard.BannerContent{ImageUrl: &image, Width: &width, Height: &height},
	}))
	born := must(keyed.CreateAdWithResponse(now, nil, banner))
	ad := wanted(born.JSON201, born.Body)
	activated := must(keyed.ActivateAdWithResponse(now, ad.Id, nil))
	wanted(activated.JSON200, activated.Body)
	running := must(keyed.ActivateCampaignWithResponse(now, campaign.Id, nil))
	wanted(running.JSON200, running.Body)

	words := []string{"a", "b"}
	var served placard.ServedAd
	until(func() bool {
		answer := must(page.ServeAdWithResponse(now, &placard.ServeAdParams{Slot: []string{slot.Key}, Keywords: &words}))
		if answer.JSON200 != nil {
			served = must(answer.JSON200.AsServedAd())
		}
		return answer.JSON200 != nil
	})
	if served.AdId != ad.Id {
		check(fmt.Errorf("another ad was served"))
	}
	var event placard.TrackRequest_Event
	check(event.FromEventKind(placard.EventKindImpression))
	body := placard.TrackEventJSONRequestBody{Token: served.TrackToken, Event: event}
	tracked := must(page.TrackEventWithResponse(now, nil, body))
	if tracked.StatusCode() != http.StatusNoContent {
		check(fmt.Errorf("refused: %s", tracked.Body))
	}
	until(func() bool {
		listed := must(keyed.ListEventsWithResponse(now, nil))
		for _, one := range wanted(listed.JSON200, listed.Body).Data {
			if one.AdId == ad.Id && one.Valid {
				return true
			}
		}
		return false
	})
	groups := []placard.ReportDimension{placard.ReportDimensionCampaign, placard.ReportDimensionSlot}
	campaigns, test := []uuid.UUID{campaign.Id}, placard.EnvironmentTest
	found := must(keyed.GetDeliveryReportWithResponse(now, &placard.GetDeliveryReportParams{
		From: "2026-01-01", GroupBy: &groups, CampaignId: &campaigns, Environment: &test,
	}))
	rows := wanted(found.JSON200, found.Body).Data
	if len(rows) != 1 || *rows[0].SlotId != slot.Id {
		check(fmt.Errorf("the report has %d rows", len(rows)))
	}
}
