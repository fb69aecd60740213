// Reads {html, clients} from stdin and prints, for each client, the features that it does not support or only in part.

import { caniemail } from "caniemail";

let text = "";
for await (const piece of process.stdin) text += piece;
const { html, clients } = JSON.parse(text);
const { issues } = caniemail({ clients, html });
const titles = (found) =>
  Object.fromEntries(
    [...found].map(([client, list]) => [client, [...new Set(list.map((issue) => issue.title))]]),
  );
console.log(JSON.stringify({ none: titles(issues.errors), partial: titles(issues.warnings) }));
