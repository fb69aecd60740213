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
  __tcfapi?: (command: string, version: number, handler: (data: TcData, ok: boolean) => void) => void;
  __gpp?: (command: string, handler: (event: GppEvent, ok: boolean) => void) => void;
  navigator?: { globalPrivacyControl?: boolean };
}

/** Listens to one API from its first use on. `said` is its latest consent; `answered` resolves with the first one. */
interface Listener {
  said?: Consent;
  answered: Promise<void>;
}

const listeners: { tcf?: Listener; gpp?: Listener } = {};

/** The consent that the page's APIs report. An API that reports none within `PATIENCE_MS` counts as a refusal. */
export async function consentOf(page: Page): Promise<Consent> {
  if (page.__tcfapi) listeners.tcf ??= listen((report) => page.__tcfapi!("addEventListener", 2, onTcf(report)));
  if (page.__gpp) listeners.gpp ??= listen((report) => page.__gpp!("addEventListener", onGpp(report)));
  const started = [listeners.tcf, listeners.gpp].filter((one) => !!one);
  if (started.some((one) => !one.said))
    await Promise.race([Promise.all(started.map((one) => one.answered)), wait(PATIENCE_MS)]);
  return Object.assign({}, ...started.map((one) => one.said ?? { npa: true }));
}

function listen(begin: (report: (consent: Consent) => void) => void): Listener {
  const listener = {} as Listener;
  listener.answered = new Promise((done) =>
    begin((consent) => {
      listener.said = consent;
      done();
    }),
  );
  return listener;
}

/** While the consent dialog is open there is no string to forward: that counts as a refusal. */
function onTcf(report: (consent: Consent) => void) {
  return ({ gdprApplies, tcString, eventStatus, purpose }: TcData, ok: boolean): void => {
    if (!ok) return;
    if (gdprApplies === false) report({ gdpr: false, storage: true });
    else if (eventStatus === "cmpuishown") report({ gdpr: true, storage: false });
    else if (tcString) report({ gdpr: true, gdpr_consent: tcString, storage: !!purpose?.consents[1] });
  };
}

function onGpp(report: (consent: Consent) => void) {
  return ({ pingData }: GppEvent, ok: boolean): void => {
    if (!ok || pingData.signalStatus !== "ready") return;
    const gpp_sid = pingData.applicableSections.filter((id) => id > 0).join();
    report(gpp_sid ? { gpp: pingData.gppString, gpp_sid } : {});
  };
}
