/** `<service-ad>` in Svelte: `import type {} from "@placard/service-ads/svelte"`. Events: `onad-load={…}` from Svelte 5 on. */
import type { HTMLAttributes } from "svelte/elements";
import type { ServiceAd, ServiceAdEvents } from "../dist/element.js";
import type { ServiceAdAttributes } from "./attributes.js";

type Listeners = { [Name in keyof ServiceAdEvents as `on${Name}`]?: (event: ServiceAdEvents[Name]) => void };

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "service-ad": HTMLAttributes<ServiceAd> & ServiceAdAttributes & Listeners;
  }
}
