import 'dart:convert';
import 'dart:math';

import 'json.dart';
import 'log.dart';
import 'scheduler.dart';
import 'storage.dart';

/// An event that is not counted yet.
final class QueuedEvent {
  QueuedEvent(this.id, this.atMs, this.body);

  final int id;

  /// When it happened, in milliseconds since the epoch.
  final int atMs;

  /// Its JSON for the edge.
  final Map<String, Object?> body;

  /// A request for it is on its way, so that a batch leaves it out.
  bool isInFlight = false;

  Map<String, Object?> get line => {'id': id, 'at': atMs, 'event': body};
}

/// Events until the edge has counted them, in memory and, while allowed, in a text that survives the
/// process: a line of JSON for each event added, and one for each removed. At most [maxEvents], none
/// older than [maxAgeMs]; the oldest are dropped. Where the storage fails, memory remains.
///
/// The text belongs to the first client that opens it: others, also of other processes, use memory only.
final class EventQueue {
  EventQueue(this._storage, String folder, this._scheduler)
    : _name = '$folder/events.jsonl',
      _lock = '$folder/events.lock',
      _nextId = _scheduler.wallMs() * 1000;

  static const int maxEvents = 500;

  /// No token of a visit lives longer: `token_ttl_seconds` is at most a day, and the edge allows 30 s
  /// more.
  static const int maxAgeMs = 86430000;

  /// The edge accepts 16 KiB.
  static const int _maxBatchBytes = 16000;

  final Storage _storage;
  final Scheduler _scheduler;
  final String _name;
  final String _lock;
  final Map<int, QueuedEvent> _events = {};

  /// What the storage still has to do, in order.
  Future<void> _work = Future.value();

  /// Above all of earlier processes.
  int _nextId;
  int _lines = 0;
  bool _isOwner = false;
  bool _isOnDisk = false;
  bool _isClosed = false;

  int get size => _events.length;

  bool get isEmpty => _events.isEmpty;

  /// Reads what an earlier process left.
  Future<void> open() => _do(() async {
    if (_isOwner || _isClosed) return;
    _isOwner = await _storage.acquire(_lock);
    if (!_isOwner) return;
    _read(await _storage.read(_name) ?? '');
    _isOnDisk = true;
    await _rewrite();
  });

  /// Whether events are stored on the disk. False deletes the text.
  Future<void> allowDisk(bool isAllowed) async {
    // The client that had the text may be closed by now.
    if (isAllowed && !_isOwner) return open();
    if (isAllowed == _isOnDisk) return;
    _isOnDisk = isAllowed;
    await _do(isAllowed ? _rewrite : () => _storage.delete(_name));
  }

  /// Completes when the event is stored.
  Future<QueuedEvent> add(Map<String, Object?> body) async {
    final event = QueuedEvent(_nextId++, _scheduler.wallMs(), body)..isInFlight = true;
    _events[event.id] = event;
    while (_events.length > maxEvents) {
      remove(_events.values.firstWhere((other) => other != event));
    }
    await _append(event.line);
    return event;
  }

  void remove(QueuedEvent event) {
    if (_events.remove(event.id) != null) _append({'done': event.id});
  }

  /// The oldest of those that are not on their way, as many as fit one request.
  List<QueuedEvent> batch(int max) {
    final oldestMs = _scheduler.wallMs() - maxAgeMs;
    _events.values.where((event) => event.atMs < oldestMs).toList().forEach(remove);
    var bytes = 0;
    return _events.values.where((event) => !event.isInFlight).take(max).takeWhile((event) {
      bytes += utf8.encode(jsonEncode(event.body)).length + 1;
      return bytes <= _maxBatchBytes;
    }).toList();
  }

  void close() {
    _isClosed = true;
    _do(() async {
      if (!_isOwner) return;
      _isOwner = false;
      _isOnDisk = false;
      await _storage.release(_lock);
    });
  }

  Future<void> _do(Future<void> Function() task) => _work = _work.then((_) => task()).catchError(
    // No room, or no permission: events stay in memory.
    (Object fault, StackTrace trace) => PlacardLog.report(fault, trace),
  );

  void _read(String text) {
    for (final line in const LineSplitter().convert(text)) {
      final Object? entry;
      try {
        entry = jsonDecode(line);
      } on FormatException {
        // The process ended while it wrote this line.
        continue;
      }
      _events.remove(entry.integer('done'));
      final id = entry.integer('id');
      final body = entry.member('event');
      if (id == null || body is! Map<String, Object?>) continue;
      _events[id] = QueuedEvent(id, entry.integer('at') ?? 0, body);
      _nextId = max(_nextId, id + 1);
    }
  }

  Future<void> _append(Map<String, Object?> entry) {
    if (!_isOnDisk) return Future.value();
    final line = '${jsonEncode(entry)}\n';
    return _do(() async {
      if (!_isOnDisk) return;
      if (_lines >= 2 * maxEvents) return _rewrite();
      await _storage.append(_name, line);
      _lines++;
    });
  }

  Future<void> _rewrite() async {
    final events = _events.values.toList();
    await _storage.write(_name, events.map((event) => '${jsonEncode(event.line)}\n').join());
    _lines = events.length;
  }
}
