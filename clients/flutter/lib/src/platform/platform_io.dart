import 'dart:async';
import 'dart:convert';
import 'dart:io' as io;
import 'dart:typed_data';

import '../core/storage.dart';
import '../core/transport.dart';

/// The app's cache folder.
Storage createStorage() => FileStorage(_cacheFolder());

Transport createTransport() => IoTransport();

/// Dart's own names no system, which targeting by device needs.
final String userAgent = 'Dart/${_dartVersion()} (${_system()})';

/// The device's languages in the format of `Accept-Language`, such as `pt-BR`.
final String? languages = _languages(io.Platform.localeName);

String _dartVersion() => io.Platform.version.split('.').take(2).join('.');

String _system() => switch (io.Platform.operatingSystem) {
  'android' => 'Linux; Android; Mobile',
  'ios' => 'iPhone; CPU iPhone OS like Mac OS X',
  'macos' => 'Macintosh; Mac OS X',
  'windows' => 'Windows NT 10.0',
  _ => 'X11; Linux',
};

String? _languages(String locale) {
  final language = locale.split('.').first.replaceAll('_', '-');
  return language == 'C' || language == 'POSIX' || language.isEmpty ? null : language;
}

/// A folder of this app alone. On phones the system gives one to each app.
String _cacheFolder() {
  final environment = io.Platform.environment;
  final home = environment['HOME'] ?? io.Directory.systemTemp.path;
  final program = io.Platform.resolvedExecutable.split(RegExp(r'[/\\]')).last;
  return switch (io.Platform.operatingSystem) {
    'android' => '${io.Directory.systemTemp.path}/placard',
    'ios' => '$home/Library/Caches/placard',
    'macos' => '$home/Library/Caches/$program/placard',
    'windows' => '${environment['LOCALAPPDATA'] ?? io.Directory.systemTemp.path}/$program/placard',
    _ => '${environment['XDG_CACHE_HOME'] ?? '$home/.cache'}/$program/placard',
  };
}

/// By `dart:io`'s own client. Sends no cookies, follows no redirects, caches nothing.
final class IoTransport implements Transport {
  /// Pictures of ads come this way too.
  static const int _maxBytes = 8 << 20;

  final io.HttpClient _client =
      io.HttpClient()
        ..userAgent = null
        ..idleTimeout = const Duration(seconds: 5);

  @override
  Future<HttpResponse> exchange(HttpRequest request, int timeoutMs) async {
    io.HttpClientRequest? sent;
    final late = Completer<HttpResponse>();
    final timer = Timer(Duration(milliseconds: timeoutMs), () {
      late.completeError(const TransportTimeout());
      sent?.abort();
    });
    void opened(io.HttpClientRequest request) {
      sent = request;
      if (late.isCompleted) request.abort();
    }

    try {
      return await Future.any([late.future, _exchange(request, opened)]);
    } finally {
      timer.cancel();
    }
  }

  @override
  void close() => _client.close(force: true);

  Future<HttpResponse> _exchange(
    HttpRequest request,
    void Function(io.HttpClientRequest opened) onOpen,
  ) async {
    final body = request.body;
    final url = Uri.parse(request.url);
    final opened = await (body == null ? _client.getUrl(url) : _client.postUrl(url));
    onOpen(opened);
    opened.followRedirects = false;
    request.headers.forEach(opened.headers.set);
    if (body != null) {
      final bytes = utf8.encode(body);
      opened.headers.set('Content-Type', 'application/json');
      opened.contentLength = bytes.length;
      opened.add(bytes);
    }
    final response = await opened.close();
    final headers = <String, String>{};
    response.headers.forEach((name, values) => headers[name.toLowerCase()] = values.last);
    return HttpResponse(response.statusCode, headers, await _read(response));
  }

  Future<Uint8List> _read(io.HttpClientResponse response) async {
    final found = BytesBuilder(copy: false);
    await for (final chunk in response) {
      found.add(chunk);
      if (found.length > _maxBytes) {
        throw const FormatException('The response has more than $_maxBytes bytes.');
      }
    }
    return found.takeBytes();
  }
}

/// Files in a folder, which is made when something is stored. Of clients in one process and of several
/// processes, one owns a name.
final class FileStorage implements Storage {
  FileStorage(this.folder);

  /// Locks of the system are those of a process; this is for clients within it.
  static final Map<String, io.RandomAccessFile?> _locks = {};

  final String folder;

  @override
  Future<String?> read(String name) async {
    final file = _file(name);
    return await file.exists() ? await file.readAsString() : null;
  }

  @override
  Future<void> write(String name, String text) async {
    final other = _file('$name.new');
    await other.parent.create(recursive: true);
    await other.writeAsString(text, flush: true);
    await other.rename(_file(name).path);
  }

  @override
  Future<void> append(String name, String text) async {
    await _file(name).writeAsString(text, mode: io.FileMode.append);
  }

  @override
  Future<void> delete(String name) async {
    final file = _file(name);
    if (await file.exists()) await file.delete();
  }

  @override
  Future<bool> acquire(String name) async {
    final file = _file(name);
    if (_locks.containsKey(file.path)) return false;
    _locks[file.path] = null;
    io.RandomAccessFile? opened;
    try {
      await file.parent.create(recursive: true);
      opened = await file.open(mode: io.FileMode.append);
      await opened.lock(io.FileLock.exclusive);
      _locks[file.path] = opened;
      return true;
    } on io.FileSystemException {
      // Another process has it, or there is no such folder.
      await opened?.close();
      _locks.remove(file.path);
      return false;
    }
  }

  @override
  Future<void> release(String name) async {
    await _locks.remove(_file(name).path)?.close();
  }

  io.File _file(String name) => io.File('$folder/$name');
}
