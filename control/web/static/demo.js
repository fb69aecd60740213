// Asks the live edge for an ad per slot, shows it, tracks its impression, and lists events as they arrive.
const ads = document.getElementById("ads");
const { edge, key } = ads.dataset;
const slots = ads.dataset.slots.split(",").filter(Boolean);

function shown(ad) {
  if (ad.format === "html") {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-popups allow-popups-to-escape-sandbox");
    frame.title = "Advertisement";
    frame.width = ad.width;
    frame.height = ad.height;
    frame.srcdoc = ad.content.html;
    return frame;
  }
  if (ad.format === "banner") {
    const image = new Image(ad.width, ad.height);
    image.src = ad.content.image_url;
    image.alt = ad.content.alt;
    return image;
  }
  const text = document.createElement("p");
  const title = document.createElement("strong");
  title.textContent = ad.content.title;
  text.append(title, ` ${ad.content.body ?? ""} `);
  return text;
}

function track(ad) {
  return fetch(`${edge}/v1/track?key=${encodeURIComponent(key)}`, {
    method: "POST",
    keepalive: true,
    credentials: "omit",
    body: JSON.stringify({ token: ad.track_token, event: "impression" }),
  });
}

async function fillSlot(slot) {
  const box = document.createElement("section");
  box.className = "ad";
  const heading = document.createElement("h2");
  heading.textContent = `Slot ${slot}`;
  box.append(heading);
  ads.append(box);
  const query = new URLSearchParams({ slot, key });
  const answer = await fetch(`${edge}/v1/serve?${query}`, { credentials: "omit" });
  if (answer.status === 204) {
    box.append("No ad for this slot now.");
    return;
  }
  const ad = await answer.json();
  if (!answer.ok) {
    box.append(ad.error.message);
    return;
  }
  const link = document.createElement("a");
  link.href = ad.click_url;
  link.target = "_blank";
  link.rel = "sponsored noopener";
  link.append(ad.format === "html" ? "Visit the advertiser" : shown(ad));
  if (ad.format === "html") box.append(shown(ad), document.createElement("br"));
  box.append(link);
  await track(ad);
}

async function refresh() {
  const answer = await fetch("/demo/events");
  if (!answer.ok) return;
  const { data } = await answer.json();
  if (data.length === 0) return;
  document.getElementById("events").replaceChildren(
    ...data.map((event) => {
      const row = document.createElement("tr");
      for (const text of [event.ts, event.kind, event.valid ? "yes" : "no", event.reason, event.ad_id]) {
        row.insertCell().textContent = text;
      }
      return row;
    }),
  );
}

for (const slot of slots) fillSlot(slot);
setInterval(refresh, 1000);
refresh();
