package placard

import (
	"encoding/json"
	"testing"
)

func TestFlagsAreBooleansOrTextsAndTolerateOthers(t *testing.T) {
	var sdk PropertySdk
	text := `{"min": {}, "flags": {"sticky": true, "theme": "dark", "later": 7}}`
	if err := json.Unmarshal([]byte(text), &sdk); err != nil {
		t.Fatal(err)
	}
	if on, ok := sdk.Flags["sticky"].Bool(); !on || !ok {
		t.Errorf("sticky is %v", sdk.Flags["sticky"])
	}
	if theme, ok := sdk.Flags["theme"].Text(); theme != "dark" || !ok {
		t.Errorf("theme is %v", sdk.Flags["theme"])
	}
	_, isBool := sdk.Flags["later"].Bool()
	if _, isText := sdk.Flags["later"].Text(); isBool || isText {
		t.Errorf("later is %v", sdk.Flags["later"])
	}
}

func TestFlagsAndKeyValuesAreWrittenAsTheServiceReadsThem(t *testing.T) {
	flags := map[string]Flag{"sticky": BoolFlag(false), "theme": TextFlag("dark")}
	expectJSON(t, PropertySdkInput{Flags: Some(flags)}, `{"flags":{"sticky":false,"theme":"dark"}}`)
	kv := map[string][]string{"plan": {"free", "trial"}}
	expectJSON(t, EmailRecipient{Ref: "r", Kv: Some(kv)}, `{"ref":"r","kv":{"plan":["free","trial"]}}`)
}

func expectJSON(t *testing.T, value any, wanted string) {
	t.Helper()
	found, err := json.Marshal(value)
	if err != nil || string(found) != wanted {
		t.Errorf("%s, not %s (%v)", found, wanted, err)
	}
}
