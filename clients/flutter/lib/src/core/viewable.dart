import 'dart:math';

import 'ad.dart';
import 'outcomes.dart';

const double usualRatio = 0.5;
const int usualMs = 1000;

/// Above this an ad is large, more than 970×250, and less of it must be in view (Media Rating Council).
const double _largeArea = 242000;
const double _largeRatio = 0.3;

/// The part, from 0 to 1, of an ad of this [area] that must be in view where [ratio] is usual. Areas
/// are in square logical pixels, which are a page's CSS pixels.
double requiredRatio(double ratio, double area) => area > _largeArea ? _largeRatio : ratio;

/// Measures when an ad becomes viewable: enough of it in view for long enough without a break. It is
/// given samples; a sample holds until the next one. Ten samples a second are what the Media Rating
/// Council asks for.
final class ViewClock {
  ViewClock(this.viewability);

  final Viewability viewability;
  int? _sinceMs;
  bool _isDone = false;

  /// True once, with the sample at which the ad has become viewable. [nowMs]: of a clock that never
  /// goes back. [ratio]: the part of the ad in view, 0 to 1, and 0 where its window is not in front.
  /// [area]: of the whole ad.
  bool sample(int nowMs, double ratio, double area) {
    if (_isDone) return false;
    if (area <= 0 || ratio < requiredRatio(viewability.ratio, area)) {
      _sinceMs = null;
      return false;
    }
    final startMs = _sinceMs ??= nowMs;
    _isDone = nowMs - startMs >= viewability.durationMs;
    return _isDone;
  }
}

/// Measures when a slot requests another ad: half of it in view for [seconds] in total, and 30 at least.
final class RefreshClock {
  RefreshClock(int seconds) : _leftMs = max(seconds, _minSeconds) * 1000;

  static const int _minSeconds = 30;
  int _leftMs;
  int? _lastMs;

  /// True from the sample on at which the time is over; arguments as in [ViewClock.sample].
  bool sample(int nowMs, double ratio, double area) {
    final isInView = area > 0 && ratio >= requiredRatio(usualRatio, area);
    final lastMs = _lastMs;
    if (lastMs != null) _leftMs -= nowMs - lastMs;
    _lastMs = isInView ? nowMs : null;
    return isInView && _leftMs <= 0;
  }
}

/// Turns the progress of a player into events, each of them once.
final class Playback {
  static const List<AdEvent> _quartiles = [
    AdEvent.start,
    AdEvent.firstQuartile,
    AdEvent.midpoint,
    AdEvent.thirdQuartile,
  ];
  int _reached = 0;
  bool _isOver = false;

  /// Events that are due at [positionMs] of [durationMs]; a duration of 0 or less is unknown.
  List<AdEvent> advance(int positionMs, int durationMs) {
    if (_isOver) return const [];
    final quarters = durationMs > 0 ? positionMs * 4 ~/ durationMs : 0;
    final end = max(_reached, min(quarters + 1, _quartiles.length));
    final due = _quartiles.sublist(_reached, end);
    _reached = end;
    return due;
  }

  /// The end was reached by playing.
  List<AdEvent> complete() => _finish([..._quartiles.skip(_reached), AdEvent.complete]);

  List<AdEvent> skip() => _finish(const [AdEvent.skip]);

  List<AdEvent> fail() => _finish(const [AdEvent.error]);

  List<AdEvent> _finish(List<AdEvent> events) {
    if (_isOver) return const [];
    _isOver = true;
    return events;
  }
}
