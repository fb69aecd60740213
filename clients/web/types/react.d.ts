/** `<service-ad>` in React: `import type {} from "@placard/service-ads/react"`. Events: `onad-load={…}` from React 19 on. */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { ServiceAd, ServiceAdEvents } from "../dist/element.js";
import type { ServiceAdAttributes } from "./attributes.js";

type Listeners = { [Name in keyof ServiceAdEvents as `on${Name}`]?: (event: ServiceAdEvents[Name]) => void };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "service-ad": DetailedHTMLProps<HTMLAttributes<ServiceAd>, ServiceAd> & ServiceAdAttributes & Listeners;
    }
  }
}
