/** What the reader agreed to: said by hand, or by the page's consent APIs, and forwarded with every serve call. */

/** By the names of the wire; `true` is `1`, `false` is `0`. What is said here wins over what the page's APIs say. */
export interface Consent {
  gdpr?: boolean | undefined;
  gdpr_consent?: string | undefined;
  gpp?: string | undefined;
  gpp_sid?: string | undefined;
  us_privacy?: string | undefined;
  coppa?: boolean | undefined;
  /** Consented, refused, or a TC string. */
  lgpd?: boolean | string | undefined;
  /** Nothing may be personal. */
  npa?: boolean | undefined;
  /** Whether counts of capped ads may be kept on the device. Not sent. */
  storage?: boolean | undefined;
}

/**
 * Whether counts may be kept on the device. *presumed*: the property's word for readers of whom nothing is known.
 */
export function mayStore(consent: Consent, presumed: boolean): boolean {
  const { coppa, storage, lgpd } = consent;
  const isAllowed = lgpd === true || (presumed && Object.values(consent).every((said) => said === undefined));
  return !coppa && (storage ?? isAllowed);
}
