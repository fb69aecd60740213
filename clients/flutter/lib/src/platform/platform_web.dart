import 'dart:async';
import 'dart:js_interop';
import 'dart:typed_data';

import '../core/storage.dart';
import '../core/transport.dart';

/// The browser's local storage.
Storage createStorage() => LocalStorage();

Transport createTransport() => FetchTransport();

/// Browsers send their own.
const String? userAgent = null;
const String? languages = null;

@JS('fetch')
external JSPromise<_Response> _fetch(String url, _Init init);

@JS('AbortSignal.timeout')
external JSObject _timeout(int ms);

@JS('localStorage')
external _LocalStorage get _localStorage;

extension type _Init._(JSObject _) implements JSObject {
  external factory _Init({
    String method,
    String credentials,
    String redirect,
    JSObject signal,
    String? body,
  });
}

extension type _Response._(JSObject _) implements JSObject {
  external int get status;
  external _Headers get headers;
  external JSPromise<JSArrayBuffer> arrayBuffer();
}

extension type _Headers._(JSObject _) implements JSObject {
  external String? get(String name);
}

extension type _LocalStorage._(JSObject _) implements JSObject {
  external String? getItem(String key);
  external void setItem(String key, String value);
  external void removeItem(String key);
}

@JS('navigator.locks')
external _LockManager get _locks;

extension type _LockManager._(JSObject _) implements JSObject {
  external JSPromise<JSAny?> request(String name, _LockOptions options, JSFunction callback);
}

extension type _LockOptions._(JSObject _) implements JSObject {
  external factory _LockOptions({bool ifAvailable});
}

/// By the browser's `fetch`, without headers of its own: these would cost a CORS preflight. Key and
/// library are parameters instead.
final class FetchTransport implements Transport {
  static const Map<String, String> _parameters = {
    'X-Service-Key': 'key',
    'X-Placard-Client': 'client',
  };
  static const List<String> _readable = ['retry-after', 'x-no-fill-reason'];

  @override
  Future<HttpResponse> exchange(HttpRequest request, int timeoutMs) async {
    final body = request.body;
    final init = _Init(
      method: body == null ? 'GET' : 'POST',
      credentials: 'omit',
      redirect: 'error',
      signal: _timeout(timeoutMs),
      body: body,
    );
    final clock = Stopwatch()..start();
    try {
      final response = await _fetch(_url(request), init).toDart;
      final Uint8List bytes = (await response.arrayBuffer().toDart).toDart.asUint8List();
      return HttpResponse(response.status, {
        for (final name in _readable)
          if (response.headers.get(name) case final value?) name: value,
      }, bytes);
    } catch (_) {
      // A fetch that timed out and one that failed differ by their time alone.
      if (clock.elapsedMilliseconds >= timeoutMs) throw const TransportTimeout();
      rethrow;
    }
  }

  @override
  void close() {}

  String _url(HttpRequest request) {
    final pairs = [
      for (final MapEntry(key: header, value: name) in _parameters.entries)
        if (request.headers[header] case final value?) '$name=${Uri.encodeQueryComponent(value)}',
    ];
    if (pairs.isEmpty) return request.url;
    return '${request.url}${request.url.contains('?') ? '&' : '?'}${pairs.join('&')}';
  }
}

/// Texts in the browser's local storage, each under `placard/NAME`. Tabs of one page share it, and one of
/// them owns a name, until it is closed.
final class LocalStorage implements Storage {
  final Map<String, Completer<void>> _held = {};

  @override
  Future<String?> read(String name) async => _localStorage.getItem(_key(name));

  @override
  Future<void> write(String name, String text) async => _localStorage.setItem(_key(name), text);

  @override
  Future<void> append(String name, String text) async =>
      _localStorage.setItem(_key(name), (_localStorage.getItem(_key(name)) ?? '') + text);

  @override
  Future<void> delete(String name) async => _localStorage.removeItem(_key(name));

  @override
  Future<bool> acquire(String name) {
    final result = Completer<bool>();
    final held = Completer<void>();
    JSPromise? take(JSObject? lock) {
      result.complete(lock != null);
      return lock == null ? null : held.future.toJS;
    }

    final asked = _locks.request(_key(name), _LockOptions(ifAvailable: true), take.toJS).toDart;
    asked.then<void>((_) {}, onError: (Object fault) {
      if (!result.isCompleted) result.completeError(fault);
    });
    _held[name] = held;
    return result.future;
  }

  @override
  Future<void> release(String name) async => _held.remove(name)?.complete();

  String _key(String name) => 'placard/$name';
}
