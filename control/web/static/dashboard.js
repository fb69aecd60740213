// Signs in and shows the account's keys and slots. The access token lives in this page's memory only.
const form = document.getElementById("sign-in");
const trouble = document.getElementById("trouble");

async function call(path, token) {
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error.message);
  return body;
}

function fill(id, rows) {
  document.getElementById(id).replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement("tr");
      for (const text of cells) row.insertCell().textContent = text ?? "";
      return row;
    }),
  );
}

async function show(token) {
  const me = await call("/v1/me", token);
  const [sdk, integration, slots] = await Promise.all(
    ["/v1/sdk-keys?limit=100", "/v1/integration-keys?limit=100", "/v1/slots?limit=100"].map((path) => call(path, token)),
  );
  document.getElementById("account-name").textContent = me.account.name;
  fill("sdk-keys", sdk.data.map((k) => [k.name, k.kind, k.environment, k.key ?? `… ${k.last4}`, k.status]));
  fill("integration-keys", integration.data.map((k) => [k.name, k.environment, `… ${k.last4}`, k.scopes.join(" "), k.status]));
  fill("slots", slots.data.map((s) => [s.name, s.key, s.formats.join(" "), s.status]));
  form.hidden = true;
  document.getElementById("account").hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  trouble.textContent = "";
  const { email, password } = Object.fromEntries(new FormData(form));
  try {
    const answer = await fetch("/v1/auth/token", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ grant_type: "password", email, password }),
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error.message);
    await show(body.access_token);
  } catch (error) {
    trouble.textContent = error.message;
  }
});
