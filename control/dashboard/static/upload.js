// <form data-upload>: a file goes up with its progress shown. Then the page that the server leads to is looked at, or,
// with data-upload="choose", the new file is chosen in the page's own lists of files of its kind.
import { go, here, sentAlong } from "./loading.js";

/** Where the form's controls stand: in the form, or in a part of another form that names it. */
const placeOf = (form) => document.querySelector(`[data-upload-of="${CSS.escape(form.id || "-")}"]`) ?? form;

function enhance() {
  for (const form of document.querySelectorAll("form[data-upload]")) placeOf(form).hidden = false;
}

function send(form, onProgress) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    for (const [name, value] of Object.entries(sentAlong())) request.setRequestHeader(name, value);
    request.responseType = "document";
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => done(request));
    request.addEventListener("error", failed);
    request.send(new FormData(form));
  });
}

function choose(asset) {
  const { id, kind, state, label } = asset.dataset;
  if (state !== "ready") return false;
  let isChosen = false;
  for (const list of document.querySelectorAll(`select[data-files="${CSS.escape(kind)}"]`)) {
    list.add(new Option(label, id), 1);
    if (!list.value && !isChosen) {
      list.value = id;
      list.dispatchEvent(new Event("change", { bubbles: true }));
    }
    isChosen ||= list.value === id;
  }
  return true;
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest?.("form[data-upload]");
  if (!form) return;
  event.preventDefault();
  event.stopPropagation();
  const place = placeOf(form);
  const bar = place.querySelector("progress");
  const says = place.querySelector("[data-upload-says]");
  const button = place.querySelector("button");
  bar.hidden = false;
  button.disabled = true;
  says.textContent = "";
  try {
    const request = await send(form, (share) => (bar.value = share));
    const page = request.response;
    const asset = page?.querySelector("[data-asset]");
    if (request.status >= 400 || !asset) {
      says.textContent = page?.querySelector("[role=alert]")?.textContent.trim() || form.dataset.failed;
    } else if (form.dataset.upload === "choose" && choose(asset)) {
      says.textContent = asset.dataset.told;
      form.reset();
    } else if (form.dataset.upload === "choose") {
      says.textContent = asset.dataset.later;
    } else {
      const url = new URL(request.responseURL, here());
      go(url.pathname + url.search);
    }
  } catch {
    says.textContent = form.dataset.failed;
  }
  bar.hidden = true;
  button.disabled = false;
}, true);

document.addEventListener("placard:shown", enhance);
enhance();
