package placard

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

func TestAListMayBeRangedAgain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("cursor") {
		case "":
			fmt.Fprint(w, `{"data": [{"id": "a"}, {"id": "b"}], "has_more": true, "next_cursor": "second"}`)
		case "second":
			fmt.Fprint(w, `{"data": [{"id": "c"}, {"id": "d"}], "has_more": false, "next_cursor": null}`)
		}
	}))
	defer server.Close()
	client, err := NewManagementClient("ak_test_any", server.URL, Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := client.Campaigns.List(context.Background(), CampaignsListQuery{})
	read := func(most int) (ids []string) {
		for campaign, err := range list {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, campaign.ID)
			if len(ids) == most {
				break
			}
		}
		return ids
	}
	for _, most := range []int{4, 3, 4} {
		if found := read(most); !slices.Equal(found, []string{"a", "b", "c", "d"}[:most]) {
			t.Errorf("%v of %d", found, most)
		}
	}
}
