// <form data-import>: a chosen file is read into the form, and the progress of its import is shown. Without this script
// the lines are pasted, and the page with the results comes at the end.
import { enhance, load } from "./screens.js";

/** Spreadsheets write UTF-8, UTF-16 with its mark ("Unicode text" of Excel) or, in Windows, the western code page. */
async function textOf(file) {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

async function* linesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    yield* parts.map((part) => JSON.parse(part));
  }
}

function show(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("main");
  if (!fresh) throw new Error("not a page of the dashboard");
  document.getElementById("main").replaceWith(document.adoptNode(fresh));
  enhance(document);
  offerFiles();
  document.dispatchEvent(new CustomEvent("placard:shown"));
  const result = document.getElementById("import-result") ?? document.querySelector("main [role=alert]");
  result?.setAttribute("tabindex", "-1");
  result?.focus();
}

function offerFiles() {
  for (const field of document.querySelectorAll("[data-import-file]")) {
    field.hidden = false;
    const input = field.querySelector("input");
    input.addEventListener("change", async () => {
      if (input.files[0]) input.form.elements.lines.value = await textOf(input.files[0]);
    });
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest?.("form[data-import]");
  if (!form || event.submitter?.formNoValidate) return;
  event.preventDefault();
  event.stopPropagation();
  const bar = form.querySelector("progress");
  const status = form.querySelector("[data-import-status]");
  const buttons = form.querySelectorAll("button");
  const body = new URLSearchParams(new FormData(form));
  for (const button of buttons) button.disabled = true;
  bar.hidden = false;
  bar.value = 0;
  status.textContent = "";
  let page = "";
  try {
    const answer = await load(form.action, { method: "POST", body, headers: { "Placard-Progress": "1" } });
    if (answer.headers.get("content-type").startsWith("application/x-ndjson")) {
      for await (const part of linesOf(answer)) {
        page ||= part.page ?? "";
        if (page) break;
        bar.value = part.done / part.of;
        status.textContent = form.dataset.progress.replace("{done}", part.done).replace("{of}", part.of);
      }
    } else {
      page = await answer.text();
    }
    show(page);
  } catch {
    status.textContent = form.dataset.failed;
  }
  bar.hidden = true;
  for (const button of buttons) button.disabled = false;
}, true);

offerFiles();
