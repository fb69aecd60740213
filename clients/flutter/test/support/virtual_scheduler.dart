import 'package:placard/src/core/scheduler.dart';

/// Time that passes only while somebody waits.
final class VirtualScheduler implements Scheduler {
  VirtualScheduler([this._chance = 0.5]);

  static const int startMs = 1800000000000;

  final double _chance;
  final List<({int atMs, void Function() run})> _tasks = [];
  int _nowMs = 0;

  @override
  int nowMs() => _nowMs;

  @override
  int wallMs() => startMs + _nowMs;

  @override
  double random() => _chance;

  @override
  void runAfter(int ms, void Function() task) {
    final atMs = _nowMs + ms;
    final after = _tasks.indexWhere((other) => other.atMs > atMs);
    _tasks.insert(after < 0 ? _tasks.length : after, (atMs: atMs, run: task));
  }

  @override
  void close() => _tasks.clear();

  /// Runs what is due within [ms] milliseconds, and lets them pass.
  Future<void> pass(int ms) async {
    final endMs = _nowMs + ms;
    await _turn();
    while (_tasks.isNotEmpty && _tasks.first.atMs <= endMs) {
      await _step();
    }
    _nowMs = endMs;
  }

  /// Lets time pass until [condition] holds.
  Future<void> settle(bool Function() condition) async {
    await _turn();
    while (!condition()) {
      if (_tasks.isEmpty) throw StateError('Nothing is left to be done, and it does not hold.');
      await _step();
    }
  }

  Future<void> _step() async {
    final task = _tasks.removeAt(0);
    if (task.atMs > _nowMs) _nowMs = task.atMs;
    task.run();
    await _turn();
  }

  /// All that follows at once: a timer of the real clock comes after every microtask.
  static Future<void> _turn() => Future<void>.delayed(Duration.zero);
}
