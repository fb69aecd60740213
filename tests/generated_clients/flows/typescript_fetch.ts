// The flow by openapi-generator's typescript-fetch.
import { randomUUID } from "node:crypto";
import * as placard from "./index";

const stack = JSON.parse(process.env.PLACARD_DEMO!);
const mark = randomUUID().slice(0, 8);

function caller(basePath: string, how: placard.ConfigurationParameters = {}): placard.Configuration {
  return new placard.Configuration({ basePath, ...how });
}

async function until<T>(find: () => Promise<T | undefined | null>): Promise<T> {
  for (let turn = 0; turn < 300; turn++) {
    const found = await find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("It never came.");
}

function same(found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
  }
}

async function flow(): Promise<void> {
  const control: string = stack.control_url;
  const { accessToken } = await new placard.SignInApi(caller(control)).getToken({
    tokenRequest: { grantType: "password", email: stack.owner.email, password: stack.owner.password },
  });
  const signedIn = caller(control, { accessToken });
  const keyed = caller(control, { accessToken: stack.keys.ak_test.key });
  const page = caller(stack.edge_test_url, {
    apiKey: (name) => (name === "X-Service-Key" ? stack.keys.pk_test.key : ""),
  });

  const slot = await new placard.SlotsApi(signedIn).createSlot({
    slotCreate: { propertyId: stack.property.id, name: mark, key: `flow-${mark}`, formats: new Set(["banner"] as const) },
  });
  const campaigns = new placard.CampaignsApi(keyed);
  const campaign = await campaigns.createCampaign({
    idempotencyKey: mark,
    campaignCreate: {
      name: mark,
      objective: "traffic",
      pricingModel: "cpm",
      bidCents: 500,
      targeting: { slots: { include: new Set([slot.id]) } },
    },
  });
  const ads = new placard.AdsApi(keyed);
  const ad = await ads.createAd({
    adCreate: {
      format: "banner",
      campaignId: campaign.id,
      name: mark,
      clickUrl: "https://advertiser.example/",
      content: { imageUrl: "https://advertiser.example/a.png", width: 300, height: 250 },
    },
  });
  await ads.activateAd({ id: ad.id });
  await campaigns.activateCampaign({ id: campaign.id });

  const delivery = new placard.DeliveryApi(page);
  const served = await until(async () => {
    const answer = await delivery.serveAdRaw({ slot: [slot.key], keywords: ["a", "b"] });
    return answer.raw.status === 200 ? answer.value() : null;
  });
  const shown = served as placard.ServedAd;
  same(shown.adId, ad.id);
  await new placard.TrackingApi(page).trackEvent({
    trackRequest: { token: shown.trackToken, event: "impression" },
  });
  const events = new placard.IntegrationApi(keyed);
  const event = await until(async () => (await events.listEvents({})).data.find((one) => one.adId === ad.id));
  same(event.valid, true);
  const report = await new placard.ReportsApi(keyed).getDeliveryReport({
    from: "2026-01-01",
    groupBy: new Set(["campaign", "slot"] as const),
    campaignId: new Set([campaign.id]),
    environment: "test",
  });
  same(
    report.data.map((row) => [row.campaignId, row.slotId]),
    [[campaign.id, slot.id]],
  );
}

flow().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
