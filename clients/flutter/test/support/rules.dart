import 'dart:convert';

import 'package:placard/core.dart';
import 'package:placard/src/core/features.dart';
import 'package:placard/src/core/presenter.dart';

import 'cases.dart';

/// Rules that need no edge.
final Map<String, Future<void> Function()> ruleTests = {
  'half an ad in view for a second makes it viewable': () async {
    final clock = ViewClock(const Viewability(0.5, 1000));
    expectSame([for (final ms in [0, 999, 1000, 1001]) clock.sample(ms, 0.5, 75000)], const [
      false, false, true, false, //
    ], 'samples');
  },
  'a break in the view begins it anew': () async {
    final clock = ViewClock(const Viewability(0.5, 1000));
    clock.sample(0, 0.5, 75000);
    clock.sample(900, 0.49, 75000);
    expectSame([for (final ms in [1000, 1999, 2000]) clock.sample(ms, 1, 75000)], const [
      false, false, true, //
    ], 'samples');
  },
  'of a large ad a third is enough': () async {
    final clock = ViewClock(const Viewability(0.5, 0));
    expectSame(clock.sample(0, 0.31, 242000), false, 'not large');
    expectSame(clock.sample(0, 0.3, 242001), true, 'large');
  },
  'a slot refreshes after its time in view, and never before 30 seconds': () async {
    for (final (seconds, ms) in [(5, 30000), (45, 45000)]) {
      final clock = RefreshClock(seconds)..sample(0, 1, 75000);
      expectSame(clock.sample(ms - 1, 1, 75000), false, 'before');
      expectSame(clock.sample(ms, 1, 75000), true, 'after');
    }
  },
  'time out of view does not count for a refresh': () async {
    final clock = RefreshClock(30);
    clock.sample(0, 1, 75000);
    clock.sample(20000, 0, 75000);
    clock.sample(80000, 1, 75000);
    expectSame(clock.sample(89999, 1, 75000), false, 'before');
    expectSame(clock.sample(90000, 1, 75000), true, 'after');
  },
  'each quartile is reported once, and none after the end': () async {
    final playback = Playback();
    List<String> wires(List<AdEvent> events) => [for (final event in events) event.wire];
    expectSame(wires(playback.advance(1, 0)), ['start'], 'unknown duration');
    expectSame(wires(playback.advance(5000, 10000)), ['first_quartile', 'midpoint'], 'half');
    expectSame(wires(playback.advance(5100, 10000)), const <String>[], 'again');
    expectSame(wires(playback.complete()), ['third_quartile', 'complete'], 'end');
    expectSame(wires(playback.skip()), const <String>[], 'over');
  },
  'consent is read from what platforms store': () async {
    final consent = Consent.fromIab(const {
      'IABTCF_gdprApplies': 1,
      'IABTCF_TCString': 'CPstring',
      'IABTCF_PurposeConsents': '0111',
      'IABGPP_HDR_GppString': 'DBAA',
      'IABGPP_GppSID': '7_8',
      'IABUSPrivacy_String': '',
    });
    expectSame(
      [consent.gdpr, consent.gdprConsent, consent.storage, consent.gpp, consent.gppSid],
      [true, 'CPstring', false, 'DBAA', '7,8'],
      'consent',
    );
    expectSame(consent.usPrivacy, null, 'us privacy');
    expectSame(Consent.fromIab(const {'IABGPP_GppSID': '-1'}).gppSid, null, 'no section');
    const own = Consent(coppa: true, lgpdConsent: 'tc');
    final merged = own.orElse(const Consent(lgpd: true, gpp: 'G', coppa: false));
    expectSame([merged.coppa, merged.lgpd, merged.lgpdConsent, merged.gpp], [
      true, null, 'tc', 'G', //
    ], 'merged');
  },
  'requests for the same are equal': () async {
    ServeRequest made(String tier) => ServeRequest(
      'feed',
      keywords: List.of(const ['a']),
      keyValues: {
        'tier': [tier],
      },
    );
    expectSame(made('x') == made('x') && made('x').hashCode == made('x').hashCode, true, 'same');
    expectSame(made('x') == made('y'), false, 'other');
  },
  'versions are compared by their numbers': () async {
    expectSame(Features.isBelow('0.9.0', '0.10'), true, 'below');
    expectSame(Features.isBelow('1.0.0', '1'), false, 'same');
    expectSame(Features.isBelow('1.0.1', '1.0'), false, 'above');
  },
  'logs show no more of a key than its kind and end': () async {
    final options = Options('pk_test_0123456789A1b2', 'https://edge.example//');
    expectSame(options.shortKey, 'pk_test_…A1b2', 'key');
    expectSame(options.edgeUrl, 'https://edge.example', 'url');
    expectSame(Options('pk', 'https://edge.example').shortKey, 'pk…', 'short');
  },
  'an ad without a click URL of the web has no shape': () async {
    final ad = Ad.fromJson(
      jsonDecode('{"format": "native", "track_token": "t", "click_url": "javascript:1"}'),
    );
    expectSame(_throws(() => AdShape.of(ad)), true, 'shape');
    expectSame(_throws(() => Ad.fromJson(const {'format': 'native'})), true, 'ad');
  },
};

bool _throws(void Function() call) {
  try {
    call();
    return false;
  } on FormatException {
    return true;
  }
}
