// Lists events as they arrive; the ads above are the web library's.
async function refresh() {
  const answer = await fetch("/demo/events");
  if (!answer.ok) return;
  const { data } = await answer.json();
  if (data.length === 0) return;
  document.getElementById("events").replaceChildren(
    ...data.map((event) => {
      const row = document.createElement("tr");
      for (const text of [new Date(event.ts).toLocaleTimeString(document.documentElement.lang), event.kind, event.ad, event.environment, event.reason]) {
        row.insertCell().textContent = text;
      }
      return row;
    }),
  );
}

setInterval(refresh, 1000);
refresh();
