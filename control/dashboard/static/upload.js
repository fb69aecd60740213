// <form data-upload>: uploads a file, shows its progress, and then shows the file's page.
// <div data-file-field="KIND"> around a list of files: a new file is dropped, pasted or picked in the field itself, and
// the chosen one is shown in it. Sound and film are chosen once they are processed.
import { go, here, load, sentAlong } from "./screens.js";

const POLL_MS = 1000;
const MAX_POLLS = 120;
const TYPES = { image: /^image\//, audio: /^audio\//, video: /^video\//, html: /^text\/html$/ };

const MIB = 1024 * 1024;

function kindOf(file) {
  return Object.keys(TYPES).find((kind) => TYPES[kind].test(file.type));
}

/** An error for a file that is too large: the server refuses it before it has read it, which a browser shows as a lost connection. */
function tooLarge(file, kind, { limits, tooLarge: words }) {
  const most = JSON.parse(limits)[kind];
  if (!(file.size > most)) return "";
  return words.replace("{size}", most < MIB ? `${Math.floor(most / 1024)} KiB` : `${Math.floor(most / MIB)} MiB`);
}

function send(address, body, onProgress) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    for (const [name, value] of Object.entries(sentAlong())) request.setRequestHeader(name, value);
    request.responseType = "document";
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => done(request));
    request.addEventListener("error", failed);
    request.send(body);
  });
}

async function assetAt(address) {
  const answer = await load(address);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-asset]");
}

// A form whose file is still on its way, or is processed, is sent once the file is chosen.
const submitters = new WeakMap();

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const busy = [...form.querySelectorAll("[data-is-uploading]")];
  if (!busy.length || submitter?.formNoValidate) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  submitters.set(form, submitter);
  for (const container of busy) container.querySelector("[data-upload-status]").textContent = container.dataset.sentLater;
}, true);

function sendLater(form, isChosen) {
  if (!submitters.has(form) || form.querySelector("[data-is-uploading]")) return;
  const submitter = submitters.get(form);
  submitters.delete(form);
  if (isChosen) form.requestSubmit(submitter);
}

function enhance() {
  for (const container of document.querySelectorAll("[data-file-field]:not([data-is-enhanced])")) fileField(container);
}

function fileField(container) {
  const { fileField: kind, uploadsTo, shownAt, failed, otherKind, waiting } = container.dataset;
  const form = container.closest("form");
  const list = container.querySelector("select");
  const drop = container.querySelector("[data-drop]");
  const shown = drop.querySelector("[data-shown]");
  const input = drop.querySelector("input[type=file]");
  const bar = drop.querySelector("progress");
  const status = drop.querySelector("[data-upload-status]");
  const pageOf = (id) => shownAt.replace(/-$/, id);
  container.dataset.isEnhanced = "";
  drop.hidden = false;

  async function look() {
    const id = list.value;
    shown.replaceChildren();
    if (!id) return;
    try {
      const figure = (await assetAt(pageOf(id)))?.querySelector(".preview");
      if (figure && list.value === id) shown.replaceChildren(...[...figure.children].map((one) => document.adoptNode(one)));
    } catch {
      // Without its preview the file is chosen all the same.
    }
  }

  async function ready(asset) {
    for (let polls = 0; asset && ["processing", "uploading"].includes(asset.dataset.state); polls += 1) {
      if (polls === MAX_POLLS) break;
      status.textContent = submitters.has(form) ? container.dataset.sentLater : waiting;
      await new Promise((done) => setTimeout(done, POLL_MS));
      asset = await assetAt(pageOf(asset.dataset.id));
    }
    return asset;
  }

  function choose({ id, label, message }) {
    for (const other of document.querySelectorAll(`select[data-files="${CSS.escape(kind)}"]`)) {
      if (![...other.options].some((one) => one.value === id)) other.add(new Option(label, id), 1);
    }
    list.value = id;
    for (const type of ["input", "change"]) list.dispatchEvent(new Event(type, { bubbles: true }));
    status.textContent = message;
  }

  async function upload(file) {
    if (file.type && !TYPES[kind].test(file.type)) {
      status.textContent = otherKind;
      return;
    }
    status.textContent = tooLarge(file, kind, container.dataset);
    if (status.textContent) return;
    const body = new FormData();
    body.append("kind", kind);
    body.append("file", file);
    bar.value = 0;
    bar.hidden = false;
    input.disabled = true;
    container.dataset.isUploading = "";
    try {
      const request = await send(uploadsTo, body, (share) => (bar.value = share));
      const page = request.response;
      const asset = request.status < 400 && (await ready(page?.querySelector("[data-asset]")));
      if (asset?.dataset.state === "ready" && asset.dataset.kind === kind) choose(asset.dataset);
      else if (asset) status.textContent = asset.dataset.kind === kind ? asset.dataset.later : otherKind;
      else status.textContent = page?.querySelector("[role=alert]")?.textContent.trim() || failed;
    } catch {
      status.textContent = failed;
    }
    bar.hidden = true;
    input.disabled = false;
    input.value = "";
    delete container.dataset.isUploading;
    sendLater(form, list.value !== "");
  }

  list.addEventListener("change", look);
  input.addEventListener("change", () => input.files[0] && upload(input.files[0]));
  input.addEventListener("input", (event) => event.stopPropagation());
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("is-over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("is-over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("is-over");
    if (event.dataTransfer.files[0]) upload(event.dataTransfer.files[0]);
  });
  container.addEventListener("placard:pasted", (event) => upload(event.detail));
  look();
  if (input.files[0]) upload(input.files[0]); // chosen before this script was there
}

// A pasted file goes to the field with the focus, else to the first empty one that takes its kind.
document.addEventListener("paste", (event) => {
  const file = event.clipboardData?.files[0];
  if (!file) return;
  const fields = [...document.querySelectorAll("[data-file-field]")];
  const isFree = (one) => TYPES[one.dataset.fileField].test(file.type) && !one.querySelector("select").value;
  const field = fields.find((one) => one.contains(document.activeElement)) ?? fields.find(isFree);
  if (!field) return;
  event.preventDefault();
  field.dispatchEvent(new CustomEvent("placard:pasted", { detail: file }));
});

document.addEventListener("submit", async (event) => {
  const form = event.target.closest?.("form[data-upload]");
  if (!form) return;
  event.preventDefault();
  event.stopPropagation();
  const bar = form.querySelector("progress");
  const status = form.querySelector("[data-upload-status]");
  const button = form.querySelector("button");
  const body = new FormData(form);
  const kind = kindOf(body.get("file"));
  if (kind) body.append("kind", kind); // an MP4 may be sound or film
  status.textContent = tooLarge(body.get("file"), kind, form.dataset);
  if (status.textContent) return;
  bar.hidden = false;
  button.disabled = true;
  try {
    const request = await send(form.action, body, (share) => (bar.value = share));
    const page = request.response;
    if (request.status >= 400 || !page?.querySelector("[data-asset]")) {
      status.textContent = page?.querySelector("[role=alert]")?.textContent.trim() || form.dataset.failed;
    } else {
      const url = new URL(request.responseURL, here());
      go(url.pathname + url.search);
    }
  } catch {
    status.textContent = form.dataset.failed;
  }
  bar.hidden = true;
  button.disabled = false;
}, true);

document.addEventListener("placard:shown", enhance);
enhance();
