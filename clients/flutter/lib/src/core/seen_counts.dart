import 'dart:convert';

import 'ad.dart';
import 'connection.dart';
import 'json.dart';
import 'outcomes.dart';
import 'scheduler.dart';
import 'storage.dart';

/// How often this device met capped ads: a name, and for each event the time at which it leaves its
/// window, in milliseconds since the epoch. Sent as `seen`, so that caps need no identity.
final class SeenCounts {
  SeenCounts(this._storage, String folder, this._scheduler) : _name = '$folder/seen.json';

  static const int _maxNames = 64;

  final Storage _storage;
  final Scheduler _scheduler;
  final String _name;
  Map<String, List<int>> _ends = {};
  Future<void>? _loading;

  /// `NAME.COUNT`, separated by commas; `none` where nothing was counted; null where nothing may be:
  /// then all is deleted.
  Future<String?> parameter({required bool mayCount}) async {
    if (!mayCount) {
      _loading = Future.value();
      _ends = {};
      runAside(() => _storage.delete(_name));
      return null;
    }
    final current = await _current();
    if (current.isEmpty) return 'none';
    return [for (final MapEntry(:key, :value) in current.entries) '$key.${value.length}'].join(',');
  }

  Future<void> count(Ad ad, AdEvent event) async {
    final caps = ad.caps.where((cap) => cap.event == event.wire);
    if (caps.isEmpty) return;
    final current = await _current();
    for (final cap in caps) {
      final before = current.remove(cap.name) ?? const [];
      current[cap.name] = [...before, _scheduler.wallMs() + cap.windowSeconds * 1000];
    }
    await _storage.write(_name, jsonEncode(current));
  }

  /// Those still in their window, of the names met last.
  Future<Map<String, List<int>>> _current() async {
    await (_loading ??= _load());
    final nowMs = _scheduler.wallMs();
    final found = <String, List<int>>{};
    for (final MapEntry(:key, :value) in _ends.entries) {
      final ahead = value.where((end) => end > nowMs).toList();
      if (ahead.isNotEmpty) found[key] = ahead;
    }
    while (found.length > _maxNames) {
      found.remove(found.keys.first);
    }
    return _ends = found;
  }

  Future<void> _load() async {
    try {
      final stored = jsonDecode(await _storage.read(_name) ?? '{}');
      if (stored is! Map<String, Object?>) return;
      _ends = {for (final name in stored.keys) name: stored.list(name).whereType<int>().toList()};
    } catch (_) {
      // The text is damaged: counting begins anew.
    }
  }
}
