/** `<service-ad>` in Vue templates: `import type {} from "@placard/service-ads/vue"`, and `isCustomElement: (tag) => tag === "service-ad"`. */
import type { DefineComponent } from "vue";
import type { ServiceAdEvents } from "../dist/element.js";
import type { ServiceAdAttributes } from "./attributes.js";

type Listeners = {
  [Name in keyof ServiceAdEvents as Name extends `ad-${infer End}` ? `onAd${Capitalize<End>}` : never]?: (
    event: ServiceAdEvents[Name],
  ) => void;
};

declare module "vue" {
  interface GlobalComponents {
    "service-ad": DefineComponent<ServiceAdAttributes & Listeners>;
  }
}
