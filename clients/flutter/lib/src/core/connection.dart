import 'dart:async';
import 'dart:convert';
import 'dart:math';

import 'features.dart';
import 'json.dart';
import 'log.dart';
import 'options.dart';
import 'outcomes.dart';
import 'scheduler.dart';
import 'transport.dart';

/// The result of a request: [error], or else the [body] of a 2xx response (null: it had none).
final class Answer {
  const Answer(this.error, this.body, this.reason);

  final PlacardError? error;
  final Object? body;
  final String? reason;
}

/// Sends requests of one key to one edge. Retries after 429, 5xx and where there was no response: after
/// `base_ms`, doubled each time, times 0.5 to 1.5 by chance, and not before `Retry-After`. After a 429,
/// no request is sent before its pause is over.
final class Connection {
  Connection(this._options, this._scheduler);

  /// Longer than this nobody waits for an ad.
  static const int _maxPauseMs = 60000;
  static const int _loadTimeoutMs = 10000;
  static const Answer _closed = Answer(PlacardError('closed', 'The client is closed.'), null, null);

  final Options _options;
  final Scheduler _scheduler;
  final Set<Completer<void>> _pauses = {};
  int? _heldUntilMs;
  bool _isClosed = false;

  Features features = Features(null);

  Future<Answer> get(String path, {int? maxRetries}) => _send(path, null, maxRetries);

  Future<Answer> post(String path, Map<String, Object?> body, {int? maxRetries}) =>
      _send(path, jsonEncode(body), maxRetries);

  /// For URLs of advertisers: one request; null where it failed.
  Future<HttpResponse?> load(String url) async {
    try {
      return await _options.transport.exchange(HttpRequest(url, _agent(), null), _loadTimeoutMs);
    } catch (_) {
      return null;
    }
  }

  /// Ends all calls with the error `closed`.
  void close() {
    _isClosed = true;
    for (final pause in _pauses.toList()) {
      pause.complete();
    }
    _options.transport.close();
  }

  static bool isRetryable(int? status) => status == null || status == 429 || status >= 500;

  Future<Answer> _send(String path, String? body, int? maxRetries) async {
    for (var tried = 0; ; tried++) {
      await _keepPause();
      if (_isClosed) return _closed;
      final request = HttpRequest('${_options.edgeUrl}/v1/$path', _headers(), body);
      final attempt = await _exchange(request, features.timeoutMs);
      if (_isClosed) return _closed;
      if (attempt.answer.error == null || !isRetryable(attempt.status)) return attempt.answer;
      final pauseMs = _pauseMs(attempt, tried);
      if (tried >= (maxRetries ?? features.maxRetries) || pauseMs > _maxPauseMs) return attempt.answer;
      // After a 429 the pause is in `_heldUntilMs`, for all requests.
      if (attempt.status != 429) await _pause(pauseMs);
    }
  }

  Future<void> _keepPause() async {
    while (!_isClosed) {
      final heldMs = (_heldUntilMs ?? _scheduler.nowMs()) - _scheduler.nowMs();
      if (heldMs <= 0) return;
      await _pause(heldMs);
    }
  }

  Future<void> _pause(int ms) {
    final pause = Completer<void>();
    if (_isClosed) return Future.value();
    _pauses.add(pause);
    _scheduler.runAfter(ms, () {
      if (!pause.isCompleted) pause.complete();
    });
    return pause.future.whenComplete(() => _pauses.remove(pause));
  }

  int _pauseMs(_Attempt attempt, int tried) {
    final ownMs = features.retryBaseMs * pow(2, tried) * (0.5 + _scheduler.random());
    final pauseMs = max(attempt.retryAfterMs, ownMs.round());
    if (attempt.status == 429) _heldUntilMs = _scheduler.nowMs() + min(pauseMs, _maxPauseMs);
    return pauseMs;
  }

  Future<_Attempt> _exchange(HttpRequest request, int timeoutMs) async {
    try {
      return _parse(await _options.transport.exchange(request, timeoutMs));
    } on TransportTimeout {
      return _failed('timeout', 'The edge did not respond within $timeoutMs ms.');
    } catch (fault) {
      const advice = 'Check the connection and the edge URL.';
      return _failed('network', 'The edge could not be reached: $fault. $advice');
    }
  }

  _Attempt _parse(HttpResponse response) {
    final seconds = int.tryParse(response.headers['retry-after'] ?? '') ?? 0;
    final retryAfterMs = seconds.clamp(0, 86400) * 1000;
    final Object? body;
    try {
      body = response.body.isEmpty ? null : jsonDecode(utf8.decode(response.body));
    } on FormatException catch (fault) {
      return _invalid(response, retryAfterMs, '${fault.message}.');
    }
    if (response.status >= 200 && response.status < 300) {
      final answer = Answer(null, body, response.headers['x-no-fill-reason']);
      return _Attempt(response.status, retryAfterMs, answer);
    }
    final error = body.member('error');
    final code = error.text('code');
    if (code == null) return _invalid(response, retryAfterMs, 'It has no error code.');
    final found = PlacardError(
      code,
      error.text('message') ?? '',
      status: response.status,
      requestId: error.text('request_id'),
    );
    return _Attempt(response.status, retryAfterMs, Answer(found, null, null));
  }

  /// The response is not the edge's: a proxy's, or that of a captive portal.
  _Attempt _invalid(HttpResponse response, int retryAfterMs, String reason) {
    final message = "The response is not an edge's: $reason Check the edge URL.";
    final error = PlacardError('invalid_response', message, status: response.status);
    return _Attempt(response.status, retryAfterMs, Answer(error, null, null));
  }

  _Attempt _failed(String code, String message) =>
      _Attempt(null, 0, Answer(PlacardError(code, message), null, null));

  Map<String, String> _headers() => {
    'X-Service-Key': _options.publisherKey,
    'X-Placard-Client': '${Features.library}/${Features.version}',
    if (_options.languages case final languages?) 'Accept-Language': languages,
    ..._agent(),
  };

  Map<String, String> _agent() => {
    if (_options.userAgent case final userAgent?) 'User-Agent': userAgent,
  };
}

final class _Attempt {
  const _Attempt(this.status, this.retryAfterMs, this.answer);

  final int? status;
  final int retryAfterMs;
  final Answer answer;
}

/// Runs [task] without waiting for it. What it throws goes to [PlacardLog].
void runAside(Future<void> Function() task) {
  unawaited(
    Future<void>.sync(task).catchError((Object fault, StackTrace trace) {
      PlacardLog.report(fault, trace);
    }),
  );
}
