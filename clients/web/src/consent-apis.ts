/** Reads a page's consent APIs, TCF and GPP. Loaded if a page has one of them. */

import type { Consent } from "./consent.js";
import { wait } from "./send.js";

const PATIENCE_MS = 1000;

interface TcData {
  gdprApplies?: boolean;
  tcString?: string;
  eventStatus?: string;
  purpose?: { consents: Record<number, boolean> };
}

interface GppEvent {
  pingData: { signalStatus: string; gppString: string; applicableSections: number[] };
}

/** The consent APIs of a page. */
export interface Page {
  __tcfapi?: (command: string, version: number, told: (data: TcData, ok: boolean) => void) => void;
  __gpp?: (command: string, told: (event: GppEvent, ok: boolean) => void) => void;
  navigator?: { globalPrivacyControl?: boolean };
}

/** Listens to one API from its first use on. `said` is its latest consent; `answered` resolves with the first one. */
interface Listener {
  said?: Consent;
  answered: Promise<void>;
}

const ears: { tcf?: Listener; gpp?: Listener } = {};

/** The consent that the page's APIs report. An API that reports none within `PATIENCE_MS` counts as a refusal. */
export async function consentOf(page: Page): Promise<Consent> {
  if (page.__tcfapi) ears.tcf ??= listen((say) => page.__tcfapi!("addEventListener", 2, tcfSays(say)));
  if (page.__gpp) ears.gpp ??= listen((say) => page.__gpp!("addEventListener", gppSays(say)));
  const heard = [ears.tcf, ears.gpp].filter((ear) => !!ear);
  if (heard.some((ear) => !ear.said))
    await Promise.race([Promise.all(heard.map((ear) => ear.answered)), wait(PATIENCE_MS)]);
  return Object.assign({}, ...heard.map((ear) => ear.said ?? { npa: true }));
}

function listen(begin: (say: (consent: Consent) => void) => void): Listener {
  const ear = {} as Listener;
  ear.answered = new Promise((done) =>
    begin((consent) => {
      ear.said = consent;
      done();
    }),
  );
  return ear;
}

/** While the consent dialog is open there is no string to forward: that counts as a refusal. */
function tcfSays(say: (consent: Consent) => void) {
  return ({ gdprApplies, tcString, eventStatus, purpose }: TcData, ok: boolean): void => {
    if (!ok) return;
    if (gdprApplies === false) say({ gdpr: false, storage: true });
    else if (eventStatus === "cmpuishown") say({ gdpr: true, storage: false });
    else if (tcString) say({ gdpr: true, gdpr_consent: tcString, storage: !!purpose?.consents[1] });
  };
}

function gppSays(say: (consent: Consent) => void) {
  return ({ pingData }: GppEvent, ok: boolean): void => {
    if (!ok || pingData.signalStatus !== "ready") return;
    const gpp_sid = pingData.applicableSections.filter((id) => id > 0).join();
    say(gpp_sid ? { gpp: pingData.gppString, gpp_sid } : {});
  };
}
