/** Reads a page's consent APIs, TCF and GPP. Loaded if a page has one of them. */
import type { Consent } from "./consent.js";
interface TcData {
    gdprApplies?: boolean;
    tcString?: string;
    eventStatus?: string;
    purpose?: {
        consents: Record<number, boolean>;
    };
}
interface GppEvent {
    pingData: {
        signalStatus: string;
        gppString: string;
        applicableSections: number[];
    };
}
/** The consent APIs of a page. */
export interface Page {
    __tcfapi?: (command: string, version: number, handler: (data: TcData, ok: boolean) => void) => void;
    __gpp?: (command: string, handler: (event: GppEvent, ok: boolean) => void) => void;
    navigator?: {
        globalPrivacyControl?: boolean;
    };
}
/** The consent that the page's APIs report. An API that reports none within `PATIENCE_MS` counts as a refusal. */
export declare function consentOf(page: Page): Promise<Consent>;
export {};
