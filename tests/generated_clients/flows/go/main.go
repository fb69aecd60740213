// The flow by openapi-generator's go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	placard "github.com/GIT_USER_ID/GIT_REPO_ID"
)

type stack struct {
	Owner    struct{ Email, Password string }
	Property struct{ Id string }
	Keys     map[string]struct{ Key string }
}

func must[T any](found T, _ any, err error) T {
	check(err)
	return found
}

func check(err error) {
	if err != nil {
		if refused, ok := err.(*placard.GenericOpenAPIError); ok {
			fmt.Fprintln(os.Stderr, string(refused.Body()))
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
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

func main() {
	var demo stack
	check(json.Unmarshal([]byte(os.Getenv("PLACARD_DEMO")), &demo))
	mark := fmt.Sprintf("%x", time.Now().UnixNano())
	client := placard.NewAPIClient(placard.NewConfiguration())
	anybody := context.Background()

	grant := placard.NewPasswordGrant("password", demo.Owner.Password)
	grant.SetEmail(demo.Owner.Email)
	request := placard.TokenRequest{PasswordGrant: grant}
	token := must(client.SignInAPI.GetToken(anybody).TokenRequest(request).Execute())
	signedIn := context.WithValue(anybody, placard.ContextAccessToken, token.AccessToken)
	keyed := context.WithValue(anybody, placard.ContextAccessToken, demo.Keys["ak_test"].Key)
	keys := map[string]placard.APIKey{"serviceKey": {Key: demo.Keys["pk_test"].Key}}
	page := context.WithValue(anybody, placard.ContextAPIKeys, keys)
	page = context.WithValue(page, placard.ContextServerIndex, 1) // the test edge

	formats := []placard.AdFormat{placard.AdFormatBanner}
	place := placard.NewSlotCreate(demo.Property.Id, mark, formats)
	place.SetKey("flow-" + mark)
	slot := must(client.SlotsAPI.CreateSlot(signedIn).SlotCreate(*place).Execute())

	proposed := placard.NewCampaignCreate(mark, placard.ObjectiveTraffic, placard.PricingModelCpm, 500)
	slots := placard.NewSlotTargeting()
	slots.SetInclude([]string{slot.Id})
	targeting := placard.NewTargeting()
	targeting.SetSlots(*slots)
	proposed.SetTargeting(*targeting)
	campaign := must(client.CampaignsAPI.CreateCampaign(keyed).CampaignCreate(*proposed).IdempotencyKey(mark).Execute())

	content := placard.NewBannerContent()
	content.SetImageUrl("https://advertiser.example/a.png")
	content.SetWidth(300)
	content.SetHeight(250)
	banner := placard.NewBannerAdCreate(campaign.Id, mark, "banner", *content)
	banner.SetClickUrl("https://advertiser.example/")
	ad := must(client.AdsAPI.CreateAd(keyed).AdCreate(placard.AdCreate{BannerAdCreate: banner}).Execute())
	must(client.AdsAPI.ActivateAd(keyed, ad.Id).Execute())
	must(client.CampaignsAPI.ActivateCampaign(keyed, campaign.Id).Execute())

	var served *placard.ServedAd
	until(func() bool {
		answer := must(client.DeliveryAPI.ServeAd(page).Slot([]string{slot.Key}).Keywords([]string{"a", "b"}).Execute())
		if answer != nil {
			served = answer.ServedAd
		}
		return served != nil
	})
	if served.AdId != ad.Id {
		check(fmt.Errorf("another ad was served"))
	}
	_, err := client.TrackingAPI.TrackEvent(page).TrackRequest(*placard.NewTrackRequest(served.TrackToken, "impression")).Execute()
	check(err)
	until(func() bool {
		for _, event := range must(client.IntegrationAPI.ListEvents(keyed).Execute()).Data {
			if event.AdId == ad.Id && event.Valid {
				return true
			}
		}
		return false
	})
	groups := []placard.ReportDimension{placard.ReportDimensionCampaign, placard.ReportDimensionSlot}
	report := must(client.ReportsAPI.GetDeliveryReport(keyed).From("2026-01-01").GroupBy(groups).
		CampaignId([]string{campaign.Id}).Environment(placard.EnvironmentTest).Execute())
	if len(report.Data) != 1 || report.Data[0].GetSlotId() != slot.Id {
		check(fmt.Errorf("the report has %d rows", len(report.Data)))
	}
}
