import { openEmbed } from "{placard_url}/sdk/embed.js";

const told = document.getElementById("told");
const say = (text) => (told.textContent = text);

async function fetchSession() {
  const answer = await fetch("/embed-session", { method: "POST" });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error.message);
  return body;
}

document.getElementById("promote").addEventListener("click", () =>
  openEmbed({
    fetchSession,
    onReady: () => say("The window is open."),
    onSaved: ({ campaign_id }) => say(`Campaign ${campaign_id} is saved.`),
    onClose: () => say("The window is closed."),
    onError: ({ code, message }) => say(`${code}: ${message}`),
  }),
);
