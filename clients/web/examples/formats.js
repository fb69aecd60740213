import { initialize } from "../dist/index.js";

const asked = new URLSearchParams(location.search);
initialize({ publisherKey: asked.get("key"), edgeUrl: asked.get("edge") });

const told = document.getElementById("told");
for (const name of ["load", "empty", "error", "impression", "viewable", "click"])
  document.addEventListener(`ad-${name}`, ({ target, detail }) => {
    const line = document.createElement("li");
    const more = detail.reason ?? detail.error?.message ?? "";
    line.textContent = `${target.getAttribute("slot-id")}: ${name} ${more}`;
    told.append(line);
  });

await import("../dist/element.js");
