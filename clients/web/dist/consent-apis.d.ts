/** What a page's consent APIs say, TCF and GPP: loaded where a page has one of them. */
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
/** The page, as far as consent goes. */
export interface Page {
    __tcfapi?: (command: string, version: number, told: (data: TcData, ok: boolean) => void) => void;
    __gpp?: (command: string, told: (event: GppEvent, ok: boolean) => void) => void;
    navigator?: {
        globalPrivacyControl?: boolean;
    };
}
/** What the page's APIs say by now; one that is there and still silent after `PATIENCE_MS` counts as a no. */
export declare function consentOf(page: Page): Promise<Consent>;
export {};
