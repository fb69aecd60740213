/** The reader's consent: given by the page's author or by its consent APIs, and sent with every serve request. */

/** With the parameter names of the API; `true` is sent as `1`, `false` as `0`. These values take precedence over the page's APIs. */
export interface Consent {
  gdpr?: boolean | undefined;
  gdpr_consent?: string | undefined;
  gpp?: string | undefined;
  gpp_sid?: string | undefined;
  us_privacy?: string | undefined;
  coppa?: boolean | undefined;
  /** True for consent, false for a refusal, or a TC string. */
  lgpd?: boolean | string | undefined;
  /** True forbids personal ads. */
  npa?: boolean | undefined;
  /** Whether the device may store counts of capped ads. Not sent. */
  storage?: boolean | undefined;
}

/** Whether the device may store counts. *presumed*: the property presumes consent of readers without any signal. */
export function mayStore(consent: Consent, presumed: boolean): boolean {
  const { coppa, storage, lgpd } = consent;
  const isAllowed = lgpd === true || (presumed && Object.values(consent).every((value) => value === undefined));
  return !coppa && (storage ?? isAllowed);
}
