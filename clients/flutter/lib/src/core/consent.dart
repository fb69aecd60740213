import 'dart:async';

/// Returns the present consent. Called before every serve request; where it throws, nothing is
/// personalised or stored.
typedef ConsentSource = FutureOr<Consent> Function();

/// What the user agreed to, sent with every serve request. Null fields are unknown and not sent.
final class Consent {
  const Consent({
    this.gdpr,
    this.gdprConsent,
    this.gpp,
    this.gppSid,
    this.usPrivacy,
    this.coppa,
    this.lgpd,
    this.lgpdConsent,
    this.nonPersonalized,
    this.storage,
  });

  /// Values that consent platforms store on the device, by the names of IAB Tech Lab's "CMP API v2.2"
  /// (TCF) and "GPP CMP API": `IABTCF_*`, `IABGPP_*`, `IABUSPrivacy_String`.
  factory Consent.fromIab(Map<String, Object?> stored) {
    final gdpr = switch (stored['IABTCF_gdprApplies']) {
      1 => true,
      0 => false,
      _ => null,
    };
    final purposes = stored['IABTCF_PurposeConsents'];
    // Purpose 1 is storage on the device.
    final storage = switch (gdpr) {
      true => purposes is String && purposes.startsWith('1'),
      false => true,
      null => null,
    };
    return Consent(
      gdpr: gdpr,
      gdprConsent: gdpr == false ? null : _text(stored['IABTCF_TCString']),
      storage: storage,
      gpp: _text(stored['IABGPP_HDR_GppString']),
      gppSid: _sections(_text(stored['IABGPP_GppSID'])),
      usPrivacy: _text(stored['IABUSPrivacy_String']),
    );
  }

  /// Nothing is known.
  static const Consent unknown = Consent();

  /// Nothing may be personalised or stored: what holds where consent cannot be read.
  static const Consent refused = Consent(nonPersonalized: true, storage: false);

  /// Whether GDPR applies.
  final bool? gdpr;

  /// A TCF consent string, version 2.
  final String? gdprConsent;

  /// A GPP string.
  final String? gpp;

  /// Ids of the applicable GPP sections, separated by commas.
  final String? gppSid;

  /// A US Privacy String.
  final String? usPrivacy;

  /// Whether the app is directed at children: nothing is personalised, nothing stored on the device.
  final bool? coppa;

  /// LGPD: consented or refused; not used where there is [lgpdConsent].
  final bool? lgpd;

  /// LGPD, as a TC string.
  final String? lgpdConsent;

  /// Whether nothing may be personalised.
  final bool? nonPersonalized;

  /// Whether counts of capped ads may be stored on the device; not sent. Null: derived from the
  /// others. False also keeps the queue of events in memory.
  final bool? storage;

  /// Each field of these values, or of [other] where it is null here.
  Consent orElse(Consent other) => Consent(
    gdpr: gdpr ?? other.gdpr,
    gdprConsent: gdprConsent ?? other.gdprConsent,
    gpp: gpp ?? other.gpp,
    gppSid: gppSid ?? other.gppSid,
    usPrivacy: usPrivacy ?? other.usPrivacy,
    coppa: coppa ?? other.coppa,
    lgpd: lgpdConsent != null ? null : lgpd ?? other.lgpd,
    lgpdConsent: lgpdConsent ?? (lgpd == null ? other.lgpdConsent : null),
    nonPersonalized: nonPersonalized ?? other.nonPersonalized,
    storage: storage ?? other.storage,
  );

  static String? _text(Object? value) => value is String && value.isNotEmpty ? value : null;

  /// Stored as `7_8`, sent as `7,8`; -1: none applies.
  static String? _sections(String? stored) {
    if (stored == null) return null;
    final ids = stored.split(RegExp('[_,]')).where((id) => (int.tryParse(id) ?? 0) > 0).join(',');
    return ids.isEmpty ? null : ids;
  }
}

/// What the library does with a consent.
extension ConsentUse on Consent {
  /// Parameters of a serve request: `true` is `1`, `false` is `0`.
  Map<String, String?> get parameters => {
    'gdpr': _wire(gdpr),
    'gdpr_consent': gdprConsent,
    'gpp': gpp,
    'gpp_sid': gppSid,
    'us_privacy': usPrivacy,
    'coppa': _wire(coppa),
    'lgpd': lgpdConsent ?? _wire(lgpd),
    'npa': _wire(nonPersonalized),
  };

  /// [presumed]: the property's policy for users without a consent signal.
  bool mayCount({required bool presumed}) {
    if (coppa == true) return false;
    final isUnknown = parameters.values.every((value) => value == null);
    return storage ?? (lgpd == true || (presumed && isUnknown));
  }

  /// Events carry no identifier; they are stored unless storage is refused.
  bool get mayQueueOnDisk => coppa != true && storage != false;

  static String? _wire(bool? value) => value == null ? null : (value ? '1' : '0');
}
