import 'dart:math';

import 'connection.dart';
import 'event_queue.dart';
import 'json.dart';
import 'outcomes.dart';
import 'scheduler.dart';

/// Sends each event at once, and those that could not be sent together, by `/v1/track/batch`: when
/// another request shows that the edge can be reached, else after 30 s, doubled up to 15 minutes.
final class EventSender {
  EventSender(this._queue, this._connection, this._scheduler);

  /// The edge accepts as many.
  static const int _maxBatch = 50;
  static const int _firstPauseMs = 30000;
  static const int _maxPauseMs = 900000;
  static const int _maxDoublings = 10;

  final EventQueue _queue;
  final Connection _connection;
  final Scheduler _scheduler;
  bool _isSending = false;
  bool _isTimerSet = false;
  int _failures = 0;

  /// Of the next batch: halved where the edge refuses one as a whole, to find the event that is wrong.
  int _maxEvents = _maxBatch;

  Future<void> open() async {
    await _queue.open();
    if (!_queue.isEmpty) _flush();
  }

  Future<void> allowDisk(bool isAllowed) => _queue.allowDisk(isAllowed);

  Future<TrackOutcome> send(Map<String, Object?> body) async {
    final event = await _queue.add(body);
    final error = (await _connection.post('track', body)).error;
    event.isInFlight = false;
    if (error == null) {
      _queue.remove(event);
      connectionWorks();
      return const TrackCounted();
    }
    if (_isTransient(error)) {
      _flushLater();
      return const TrackQueued();
    }
    _queue.remove(event);
    return TrackFailed(error);
  }

  void connectionWorks() {
    _failures = 0;
    _flush();
  }

  void close() => _queue.close();

  void _flush() {
    if (_isSending) return;
    final batch = _queue.batch(_maxEvents);
    if (batch.isEmpty) return;
    _isSending = true;
    for (final event in batch) {
      event.isInFlight = true;
    }
    runAside(() async {
      final body = {'events': [for (final event in batch) event.body]};
      final answer = await _connection.post('track/batch', body, maxRetries: 0);
      _isSending = false;
      for (final event in batch) {
        event.isInFlight = false;
      }
      _finish(batch, answer);
    });
  }

  void _finish(List<QueuedEvent> batch, Answer answer) {
    final error = answer.error;
    if (error == null) {
      _settle(batch, answer.body.list('results'));
    } else if (_isTransient(error) || error.status == 401 || error.status == 403) {
      // With a key that is refused now, they wait for the app's next version, which brings another.
      _flushLater();
    } else if (batch.length == 1) {
      _queue.remove(batch.single);
      _flush();
    } else {
      _maxEvents = max(1, batch.length ~/ 2);
      _flush();
    }
  }

  /// [results]: one for each event, with its own status.
  void _settle(List<QueuedEvent> batch, List<Object?> results) {
    var isComplete = true;
    for (final (index, event) in batch.indexed) {
      final status = index < results.length ? results[index].integer('status') : null;
      if (Connection.isRetryable(status)) {
        isComplete = false;
      } else {
        _queue.remove(event);
      }
    }
    _maxEvents = _maxBatch;
    if (!isComplete) return _flushLater();
    _failures = 0;
    _flush();
  }

  void _flushLater() {
    if (_isTimerSet) return;
    _isTimerSet = true;
    final doublings = min(_failures++, _maxDoublings);
    final pauseMs = min(_firstPauseMs * pow(2, doublings).toInt(), _maxPauseMs);
    _scheduler.runAfter((pauseMs * (0.5 + _scheduler.random())).toInt(), () {
      _isTimerSet = false;
      _flush();
    });
  }

  /// A response that is not an edge's is that of a network one has to sign in to.
  static bool _isTransient(PlacardError error) =>
      Connection.isRetryable(error.status) || error.code == 'invalid_response';
}
