// <div data-rows="NAME"> of <div data-row>s: its button [data-add-row] adds an empty one without asking the server.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-add-row]");
  const list = button?.closest("[data-rows]");
  if (!list?.querySelector("[data-row]")) return;
  event.preventDefault();
  addRow(list).querySelector("input, select, textarea").focus();
});

/** The new row, an empty copy of the last one. */
export function addRow(list) {
  const last = [...list.querySelectorAll("[data-row]")].pop();
  const prefix = `${list.dataset.rows}.`;
  const number = Number(last.querySelector("[name]").name.slice(prefix.length).split(".")[0]);
  const next = last.cloneNode(true);
  for (const part of next.querySelectorAll("*")) {
    for (const name of ["id", "for", "name", "data-error", "aria-describedby", "aria-invalid"]) {
      const value = part.getAttribute(name);
      if (value) part.setAttribute(name, value.replaceAll(`${prefix}${number}.`, `${prefix}${number + 1}.`));
    }
    if (part.matches(".error")) part.textContent = "";
    if (part.matches("input:not([type=checkbox]), textarea")) part.value = part.defaultValue = part.name.endsWith(".interval") ? "1" : "";
    if (part.matches("[type=checkbox]")) part.checked = false;
  }
  last.after(next);
  return next;
}

// What few forms need is loaded once it is wanted: the field of a file, and the week when its section opens.
function loadWanted() {
  if (document.querySelector("[data-file-field]")) import("./upload.js");
  for (const week of document.querySelectorAll("[data-week]")) {
    const section = week.closest("details:not([open])");
    if (section) section.addEventListener("toggle", () => import("./week.js"), { once: true });
    else import("./week.js");
  }
}
document.addEventListener("placard:shown", loadWanted);
loadWanted();
