import 'dart:async';
import 'dart:math';

/// Time and chance.
abstract interface class Scheduler {
  /// Milliseconds of a clock that never goes back.
  int nowMs();

  /// Milliseconds since the epoch.
  int wallMs();

  /// Evenly distributed, from 0 to below 1.
  double random();

  /// Runs [task] once, [ms] milliseconds from now.
  void runAfter(int ms, void Function() task);

  /// Drops all tasks.
  void close();
}

final class TimerScheduler implements Scheduler {
  final Stopwatch _clock = Stopwatch()..start();
  final Random _random = Random();
  final Set<Timer> _timers = {};
  bool _isClosed = false;

  @override
  int nowMs() => _clock.elapsedMilliseconds;

  @override
  int wallMs() => DateTime.now().millisecondsSinceEpoch;

  @override
  double random() => _random.nextDouble();

  @override
  void runAfter(int ms, void Function() task) {
    if (_isClosed) return;
    late final Timer timer;
    timer = Timer(Duration(milliseconds: ms), () {
      _timers.remove(timer);
      task();
    });
    _timers.add(timer);
  }

  @override
  void close() {
    _isClosed = true;
    for (final timer in _timers) {
      timer.cancel();
    }
    _timers.clear();
  }
}
