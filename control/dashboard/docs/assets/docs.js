// Finding an operation by a few letters of its name, path or summary. Everything is readable without this.

const find = document.getElementById("find");
const items = [...document.querySelectorAll("#found [data-find]")];
const tags = [...document.querySelectorAll("#found .tag")];
const menu = document.querySelector(".menu");
const folded = new Map(tags.map((tag) => [tag, tag.querySelector("ul").className]));

const narrow = window.matchMedia("(max-width: 50rem)");
menu.open = !narrow.matches;
narrow.addEventListener("change", () => { menu.open = !narrow.matches; });

find.hidden = false;
find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0) menu.open = true;
  for (const item of items) {
    const text = item.dataset.find.toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  for (const tag of tags) {
    const shown = tag.querySelector("[data-find]:not([hidden])") !== null;
    tag.hidden = words.length > 0 && !shown;
    tag.querySelector("ul").className = words.length > 0 ? "" : folded.get(tag);
  }
});

for (const example of document.querySelectorAll("figure")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(example.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  example.querySelector("figcaption").append(button);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !(event.target instanceof HTMLInputElement)) {
    event.preventDefault();
    find.focus();
  }
});
