import 'dart:math';

import 'json.dart';

/// What the edge says about a property, from `/v1/features`.
final class Features {
  /// From its parsed body, or null before it is known.
  Features(Object? json)
    : timeoutMs = json.member('tracking').integer('timeout_ms') ?? 3000,
      maxRetries = json.member('tracking').member('retry').integer('max') ?? 3,
      retryBaseMs = json.member('tracking').member('retry').integer('base_ms') ?? 500,
      presumesConsent = json.member('consent').text('default') == 'personalized',
      ttlSeconds = json.integer('ttl_seconds'),
      _isStopped = json.member('sdk').flag('kill_switch') ?? false,
      _minVersion = json.member('sdk').member('min').text(library),
      _refreshSeconds = _refreshes(json);

  static const String library = 'flutter';
  static const String version = '0.2.0';

  /// Time for one response, in milliseconds.
  final int timeoutMs;
  final int maxRetries;

  /// Pause before the first retry, in milliseconds.
  final int retryBaseMs;
  final bool presumesConsent;
  final int? ttlSeconds;
  final bool _isStopped;
  final String? _minVersion;
  final Map<String, int> _refreshSeconds;

  /// Why no ads may be requested; null where they may.
  String? get stopReason {
    final minVersion = _minVersion;
    if (_isStopped) return 'kill_switch';
    if (minVersion != null && isBelow(version, minVersion)) return 'outdated';
    return null;
  }

  /// Seconds in view after which the slot of this key or id requests another ad; null: never.
  int? refreshSeconds(String slot) => _refreshSeconds[slot];

  static bool isBelow(String version, String other) {
    final ours = _numbers(version);
    final theirs = _numbers(other);
    for (var index = 0; index < max(ours.length, theirs.length); index++) {
      final left = index < ours.length ? ours[index] : 0;
      final right = index < theirs.length ? theirs[index] : 0;
      if (left != right) return left < right;
    }
    return false;
  }

  static List<int> _numbers(String version) => [
    for (final part in version.split(RegExp('[.-]'))) int.tryParse(part) ?? 0,
  ];

  static Map<String, int> _refreshes(Object? json) {
    final found = <String, int>{};
    for (final slot in json.list('slots')) {
      final seconds = slot.integer('refresh_seconds');
      if (seconds == null) continue;
      for (final name in [slot.text('key'), slot.text('id')]) {
        if (name != null) found[name] = seconds;
      }
    }
    return found;
  }
}
