// The IAB's own libraries as an oracle, a JSON value a line.
// `make SEED COUNT`: strings encoded by them, each as [kind, text, fields]. `read`: [kind, text] in, fields or null out.
import { createInterface } from "node:readline";
import { SegmentEncoder, TCModel, TCString, PurposeRestriction } from "@iabtechlabtcf/core";
import { GppModel } from "@iabgpp/cmpapi";

function chance(seed) {
  // Mulberry32: small, seeded, the same everywhere.
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const members = (vector) => {
  const found = [];
  vector.forEach((holds, id) => holds && found.push(id));
  return found.sort((a, b) => a - b);
};

function tcfFields(model) {
  const restrictions = {};
  for (const one of model.publisherRestrictions.getRestrictions()) {
    restrictions[`${one.purposeId}-${one.restrictionType}`] =
      model.publisherRestrictions.getVendors(one);
  }
  return {
    created_ds: model.created.getTime() / 100,
    updated_ds: model.lastUpdated.getTime() / 100,
    cmp_id: model.cmpId,
    cmp_version: model.cmpVersion,
    screen: model.consentScreen,
    language: model.consentLanguage,
    vendor_list: model.vendorListVersion,
    policy: model.policyVersion,
    service_specific: model.isServiceSpecific,
    own_texts: model.useNonStandardTexts,
    special_features: members(model.specialFeatureOptins),
    consents: members(model.purposeConsents),
    interests: members(model.purposeLegitimateInterests),
    purpose_one_hidden: model.purposeOneTreatment,
    country: model.publisherCountryCode,
    vendor_consents: members(model.vendorConsents),
    vendor_interests: members(model.vendorLegitimateInterests),
    restrictions,
    disclosed: members(model.vendorsDisclosed),
    allowed: members(model.vendorsAllowed),
    publisher_consents: members(model.publisherConsents),
    publisher_interests: members(model.publisherLegitimateInterests),
    custom_count: Number(model.numCustomPurposes),
    custom_consents: members(model.publisherCustomConsents),
    custom_interests: members(model.publisherCustomLegitimateInterests),
  };
}

const STATES = ["usva", "usco", "usut", "usct", "usfl", "usmt", "usor", "ustx", "usde", "usia", "usne",
  "usnh", "usnj", "ustn", "usmn"];
// Their mode is one field, and sensitive data a segment.
const MSPA_STATES = ["usmd", "usin", "usky", "usri"];

// A field with several names has another one in each section, or is a list of those that a section knows.
const US_FIELDS = {
  version: "Version",
  notices: ["SaleOptOutNotice", "SharingOptOutNotice", "TargetedAdvertisingOptOutNotice"],
  sensitive_notices: ["SensitiveDataProcessingOptOutNotice", "SensitiveDataLimitUseNotice",
    "SensitiveDataOptOutNotice"],
  opt_outs: ["SaleOptOut", "SharingOptOut", "TargetedAdvertisingOptOut"],
  sensitive: "SensitiveDataProcessing",
  child: "KnownChildSensitiveDataConsents",
  mspa_covered: "MspaCoveredTransaction",
  mspa_opt_out_option: "MspaOptOutOptionMode",
  mspa_service_provider: "MspaServiceProviderMode",
};

function usFields(model, section) {
  const known = (name) => model.hasField(section, name);
  const value = (name) => model.getFieldValue(section, name);
  const fields = {};
  for (const [name, theirs] of Object.entries(US_FIELDS)) {
    fields[name] = Array.isArray(theirs)
      ? theirs.filter(known).map(value)
      : known(theirs) ? value(theirs) : 0;
  }
  for (const [name, theirs] of Object.entries(US_EITHER)) {
    fields[name] = theirs.filter(known).map(value)[0] ?? 0;
  }
  if (known("MspaMode")) {
    fields.version = value("MspaVersion");
    fields.mspa_opt_out_option = Number(value("MspaMode") === 1);
    fields.mspa_service_provider = Number(value("MspaMode") === 2);
    if (!known(US_FIELDS.child)) fields.child = [];
    if (!known(US_FIELDS.sensitive) || !value("SensitiveDataConsentSegmentIncluded")) fields.sensitive = [];
  }
  fields.child = [fields.child].flat();
  fields.gpc = known("Gpc") && value("GpcSegmentIncluded") ? value("Gpc") : null;
  return fields;
}

const US_EITHER = {
  sharing_notice: ["SharingNotice", "ProcessingNotice"],
  personal_data: ["PersonalDataConsents", "AdditionalDataProcessingConsent"],
};

const TCF_IN_GPP = {
  cmp_id: "CmpId",
  consents: "PurposeConsents",
  interests: "PurposeLegitimateInterests",
  vendor_consents: "VendorConsents",
  vendor_interests: "VendorLegitimateInterests",
  publisher_consents: "PublisherConsents",
};

function gppFields(model) {
  const fields = { sections: model.getSectionIds().sort((a, b) => a - b) };
  for (const section of ["usnat", "usca", ...STATES, ...MSPA_STATES]) {
    if (model.hasSection(section)) fields[section] = usFields(model, section);
  }
  if (model.hasSection("uspv1")) {
    fields.uspv1 = ["Notice", "OptOutSale", "LspaCovered"].map((name) =>
      model.getFieldValue("uspv1", name),
    );
  }
  if (model.hasSection("tcfeuv2")) {
    fields.tcfeuv2 = {};
    for (const [name, theirs] of Object.entries(TCF_IN_GPP)) {
      const value = model.getFieldValue("tcfeuv2", theirs);
      fields.tcfeuv2[name] = typeof value?.[0] === "boolean"
        ? value.flatMap((holds, at) => (holds ? [at + 1] : []))
        : Array.isArray(value) ? [...new Set(value)].sort((a, b) => a - b) : value;
    }
  }
  return fields;
}

function makeTcf(random) {
  const below = (n) => Math.floor(random() * n);
  const letters = () => String.fromCharCode(65 + below(26), 65 + below(26));
  const fill = (vector, most, share) => {
    for (let id = 1; id <= most; id++) if (random() < share) vector.set(id);
  };
  const model = new TCModel();
  model.created = new Date(below(2 ** 34) * 100);
  model.lastUpdated = new Date(below(2 ** 34) * 100);
  model.cmpId = 2 + below(4000);
  model.cmpVersion = 2 + below(4000);
  model.consentScreen = below(64);
  model.consentLanguage = letters();
  model.publisherCountryCode = letters();
  model.vendorListVersion = 1 + below(4000);
  model.policyVersion = below(64);
  model.isServiceSpecific = random() < 0.8;
  model.useNonStandardTexts = random() < 0.5;
  model.purposeOneTreatment = random() < 0.2;
  fill(model.specialFeatureOptins, 12, 0.5);
  for (const name of ["purposeConsents", "purposeLegitimateInterests", "publisherConsents",
    "publisherLegitimateInterests"]) fill(model[name], 24, random());
  // Sparse ones are written as ranges, dense ones as bits.
  const vendors = () => [1 + below(random() < 0.2 ? 1200 : 150), random() < 0.5 ? 0.03 : random()];
  for (const name of ["vendorConsents", "vendorLegitimateInterests", "vendorsDisclosed",
    "vendorsAllowed"]) fill(model[name], ...vendors());
  model.numCustomPurposes = below(20);
  fill(model.publisherCustomConsents, model.numCustomPurposes, 0.5);
  fill(model.publisherCustomLegitimateInterests, model.numCustomPurposes, 0.5);
  for (let left = below(4); left > 0; left--) {
    const one = new PurposeRestriction(1 + below(24), below(3));
    for (let times = 1 + below(6); times > 0; times--) {
      const first = 1 + below(900);
      for (let id = first; id <= first + below(5); id++) model.publisherRestrictions.add(id, one);
    }
  }
  model.publisherRestrictions.gvl_ = {
    vendorIds: new Set(Array.from({ length: 1000 }, (_, at) => at + 1)),
  };
  const segments = ["vendorsDisclosed", "vendorsAllowed", "publisherTC"].filter(() => random() < 0.5);
  return ["core", ...segments].map((name) => SegmentEncoder.encode(model, name)).join(".");
}

function makeGpp(random) {
  const below = (n) => Math.floor(random() * n);
  const model = new GppModel();
  const set = (section, names, value) => {
    for (const name of names) model.setFieldValue(section, name, value());
  };
  const some = () => below(3);
  const list = (length) => () => Array.from({ length }, some);
  if (random() < 0.7) {
    set("usnat", ["SharingNotice", ...US_FIELDS.notices, ...US_FIELDS.sensitive_notices.slice(0, 2),
      ...US_FIELDS.opt_outs, "PersonalDataConsents", US_FIELDS.mspa_opt_out_option,
      US_FIELDS.mspa_service_provider], some);
    set("usnat", [US_FIELDS.mspa_covered], () => 1 + below(2));
    set("usnat", ["Version"], () => 1 + below(2));
    set("usnat", [US_FIELDS.sensitive], list(16));
    set("usnat", [US_FIELDS.child], list(3));
    set("usnat", ["GpcSegmentIncluded", "Gpc"], () => random() < 0.5);
  }
  if (random() < 0.5) {
    set("usca", ["SaleOptOutNotice", "SharingOptOutNotice", "SensitiveDataLimitUseNotice",
      "SaleOptOut", "SharingOptOut", "PersonalDataConsents", US_FIELDS.mspa_opt_out_option,
      US_FIELDS.mspa_service_provider], some);
    set("usca", [US_FIELDS.mspa_covered], () => 1 + below(2));
    set("usca", [US_FIELDS.sensitive], list(9));
    set("usca", [US_FIELDS.child], list(2));
    set("usca", ["GpcSegmentIncluded", "Gpc"], () => random() < 0.5);
  }
  if (random() < 0.3) set("uspv1", ["Notice", "OptOutSale", "LspaCovered"], () => "YN-"[below(3)]);
  if (random() < 0.4) {
    model.setFieldValue("tcfeuv2", "CmpId", below(4096));
    for (const name of ["PurposeConsents", "PurposeLegitimateInterests", "PublisherConsents"]) {
      model.setFieldValue("tcfeuv2", name, Array.from({ length: 24 }, () => random() < 0.5));
    }
    const share = random();
    for (const name of ["VendorConsents", "VendorLegitimateInterests"]) {
      const ids = Array.from({ length: 1 + below(400) }, (_, at) => at + 1);
      model.setFieldValue("tcfeuv2", name, ids.filter(() => random() < share));
    }
  }
  for (const section of STATES) if (random() < 0.2) makeState(model, section, some, random);
  for (const section of MSPA_STATES) if (random() < 0.2) makeState(model, section, some, random);
  return model.encode();
}

function makeState(model, section, some, random) {
  model.setFieldValue(section, "SaleOptOut", some());
  for (const name of [...Object.values(US_FIELDS), ...Object.values(US_EITHER)].flat()) {
    if (name === "Version" || name.startsWith("Mspa") || !model.hasField(section, name)) continue;
    const now = model.getFieldValue(section, name);
    model.setFieldValue(section, name, Array.isArray(now) ? now.map(some) : some());
  }
  model.setFieldValue(section, "MspaCoveredTransaction", 1 + Math.floor(random() * 2));
  for (const name of ["MspaServiceProviderMode", "MspaMode"]) {
    if (model.hasField(section, name)) model.setFieldValue(section, name, some());
  }
  if (MSPA_STATES.includes(section) && model.hasField(section, US_FIELDS.sensitive)) {
    model.setFieldValue(section, "SensitiveDataConsentSegmentIncluded", random() < 0.5);
  }
  if (model.hasField(section, "Gpc")) {
    model.setFieldValue(section, "GpcSegmentIncluded", random() < 0.5);
    model.setFieldValue(section, "Gpc", random() < 0.5);
  }
}

function read(kind, text) {
  try {
    return kind === "tcf" ? tcfFields(TCString.decode(text)) : gppFields(new GppModel(text));
  } catch {
    return null;
  }
}

const [mode, ...rest] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
if (mode === "make") {
  const [seed, count] = rest.map(Number);
  const random = chance(seed);
  for (let at = 0; at < count; at++) {
    const kind = at % 2 ? "gpp" : "tcf";
    const text = kind === "tcf" ? makeTcf(random) : makeGpp(random);
    say([kind, text, read(kind, text)]);
  }
} else {
  for await (const line of createInterface({ input: process.stdin })) say(read(...JSON.parse(line)));
}
