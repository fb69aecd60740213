// Measures the edge from this browser, when asked to: requests are counted, so none is sent by only opening the page.
const REQUESTS = 10;

const part = document.getElementById("measure");
const { serveUrl, locale } = part.dataset;
const button = part.querySelector("button");
const output = part.querySelector("output");

/** Milliseconds from the request to the first byte, without opening a connection. The edge allows reading its times. */
async function requestOnce() {
  const answer = await fetch(serveUrl, { cache: "no-store", credentials: "omit" });
  if (!answer.ok) throw new Error(`the edge responded ${answer.status}`);
  await answer.text();
  const entry = performance.getEntriesByName(serveUrl).at(-1);
  return entry.responseStart - entry.requestStart;
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
}

async function measure() {
  button.disabled = true;
  output.textContent = "…";
  delete output.dataset.isFailed;
  try {
    performance.clearResourceTimings();
    await requestOnce(); // opens the connection
    const times = [];
    while (times.length < REQUESTS) times.push(await requestOnce());
    const shown = median(times).toLocaleString(locale, { maximumFractionDigits: 1 });
    output.textContent = output.dataset.of.replace("{ms}", shown);
  } catch {
    output.dataset.isFailed = "";
    output.textContent = output.dataset.failed;
  } finally {
    button.disabled = false;
  }
}

button.addEventListener("click", measure);
part.hidden = false;
