/** Html, native, audio and video ads. Markup of strangers is text here, or stands in a sandboxed frame. */
import type { Ad, QualitySignal } from "./ad.js";
import { type Drawn } from "./draw.js";
/** Throws where the format is none of these. *tell* learns how far it was heard or seen, of each point once. */
export declare function drawOther(ad: Ad, tell: (signal: QualitySignal) => void): Drawn;
