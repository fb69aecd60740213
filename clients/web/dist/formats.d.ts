/** Html, native, audio and video ads. Untrusted markup is shown as text or in a sandboxed frame. */
import type { Ad, QualitySignal } from "./ad.js";
import { type Drawn } from "./draw.js";
/** Throws for another format. *tell* receives each playback signal once. */
export declare function drawOther(ad: Ad, tell: (signal: QualitySignal) => void): Drawn;
