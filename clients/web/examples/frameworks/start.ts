/** What all three do once, before their first ad: the key and the edge, here from the page's address, and the element. */
import { initialize } from "@placard/service-ads";
import "@placard/service-ads/element";

const query = new URLSearchParams(location.search);
initialize({ publisherKey: query.get("key") ?? "", edgeUrl: query.get("edge") ?? undefined });
