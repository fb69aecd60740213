import 'dart:async';
import 'dart:io' as io;

import 'package:placard/core.dart';
import 'package:placard/src/platform/platform_io.dart';

import 'cases.dart';

/// Files and sockets of this machine.
final Map<String, Future<void> Function()> fileTests = {
  'files are written, appended and deleted': () => _inFolder((folder) async {
    final storage = FileStorage('$folder/new');
    expectSame(await storage.read('test/a'), null, 'absent');
    await storage.write('test/a', 'one\n');
    await storage.append('test/a', 'two\n');
    expectSame(await storage.read('test/a'), 'one\ntwo\n', 'text');
    await storage.delete('test/a');
    await storage.delete('test/a');
    expectSame(await storage.read('test/a'), null, 'deleted');
  }),
  'one client owns a folder until it releases it': () => _inFolder((folder) async {
    final first = FileStorage(folder);
    final second = FileStorage(folder);
    expectSame(await first.acquire('lock'), true, 'first');
    expectSame(await second.acquire('lock'), false, 'second');
    await first.release('lock');
    expectSame(await second.acquire('lock'), true, 'after');
    await second.release('lock');
  }),
  'a folder that cannot be made is no folder': () async {
    expectSame(await FileStorage('/proc/none').acquire('lock'), false, 'acquired');
  },
  'a response that does not come is a timeout': () => _before((socket) async {}, (
    transport,
    url,
  ) async {
    expectSame(await _fault(transport, url, 50) is TransportTimeout, true, 'fault');
  }),
  'a response that is cut is a fault': () => _before(
    (socket) async {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":');
      await socket.flush();
      socket.destroy();
    },
    (transport, url) async {
      final fault = await _fault(transport, url, 5000);
      expectSame(fault != null && fault is! TransportTimeout, true, '$fault');
    },
  ),
  'a redirect is not followed': () => _before(
    (socket) async {
      socket.write('HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n');
      await socket.flush();
    },
    (transport, url) async {
      final response = await transport.exchange(HttpRequest(url, const {}, null), 5000);
      expectSame([response.status, response.headers['location']], [302, '/elsewhere'], 'response');
    },
  ),
  'a body is sent as JSON with its length and the given headers alone': () async {
    final heads = <String>[];
    await _before(
      (socket) async {
        socket.write('HTTP/1.1 204 No Content\r\nX-Two: a\r\n\r\n');
        await socket.flush();
      },
      (transport, url) async {
        final request = HttpRequest(url, const {'User-Agent': 'Dart/3.7 (test)'}, '{"é":1}');
        final response = await transport.exchange(request, 5000);
        expectSame([response.status, response.headers['x-two']], [204, 'a'], 'response');
      },
      onHead: heads.add,
    );
    final head = heads.single.toLowerCase();
    for (final line in ['content-type: application/json', 'content-length: 8', 'dart/3.7 (test)']) {
      expectSame(head.contains(line), true, line);
    }
    expectSame(head.contains('cookie'), false, 'cookie');
  },
};

Future<void> _inFolder(Future<void> Function(String folder) test) async {
  final folder = await io.Directory.systemTemp.createTemp('placard-test');
  try {
    await test(folder.path);
  } finally {
    await folder.delete(recursive: true);
  }
}

/// A server of this machine that responds to each connection by [respond].
Future<void> _before(
  Future<void> Function(io.Socket socket) respond,
  Future<void> Function(IoTransport transport, String url) test, {
  void Function(String head)? onHead,
}) async {
  final server = await io.ServerSocket.bind(io.InternetAddress.loopbackIPv4, 0);
  final sockets = <io.Socket>[];
  server.listen((socket) {
    sockets.add(socket);
    var isFirst = true;
    socket.listen((bytes) {
      if (!isFirst) return;
      isFirst = false;
      onHead?.call(String.fromCharCodes(bytes));
      unawaited(respond(socket));
    }, onError: (Object fault) {});
  });
  final transport = IoTransport();
  try {
    await test(transport, 'http://127.0.0.1:${server.port}/v1/serve');
  } finally {
    transport.close();
    for (final socket in sockets) {
      socket.destroy();
    }
    await server.close();
  }
}

Future<Object?> _fault(IoTransport transport, String url, int timeoutMs) async {
  try {
    await transport.exchange(HttpRequest(url, const {}, null), timeoutMs);
    return null;
  } catch (fault) {
    return fault;
  }
}
