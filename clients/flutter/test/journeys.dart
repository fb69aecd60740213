// The library in a process of its own, for tests against a real edge: reads a command a line from
// standard input, as JSON, and prints its result as a line of JSON.
//
// - `open` with `edge_url`, `key`, `folder`, `consent`: a client; there is none before
// - `serve` with `slot`: its outcome; a filled one begins a showing
// - `impression`, `click`: of the showing; `click` prints the URL to open
// - `track` with `token`, `event`
// - `opt_out` with `is_opted_out`
// - `flush`, `close`

import 'dart:convert';
import 'dart:io';

import 'package:placard/core.dart';
import 'package:placard/src/platform/platform_io.dart' show FileStorage;

import 'support/cases.dart';
import 'support/scripted_edge.dart' show consentOf;

Future<void> main() async {
  final journey = Journey();
  final lines = stdin.transform(utf8.decoder).transform(const LineSplitter());
  await for (final line in lines) {
    print(jsonEncode(await journey.perform(fields(jsonDecode(line)))));
  }
}

final class Journey {
  PlacardClient? _opened;
  AdSession? _session;

  PlacardClient get _client => _opened ?? (throw StateError('Open a client first.'));

  Future<Json> perform(Json command) async {
    switch (command['do']) {
      case 'open':
        return _open(command);
      case 'serve':
        return _written(await _client.serve(ServeRequest(command['slot']! as String)));
      case 'impression':
        return {'recorded': _session?.recordImpression()};
      case 'click':
        return {'url': _session?.recordClick()};
      case 'track':
        final event = AdEvent.values.singleWhere((event) => event.wire == command['event']);
        return _tracked(await _client.track(command['token']! as String, event));
      case 'opt_out':
        await _client.setOptedOut(command['is_opted_out']! as bool);
        return {'opted_out': command['is_opted_out']};
      case 'flush':
        await _client.flush();
        return {'flushed': true};
      case 'close':
        _client.close();
        return {'closed': true};
      default:
        return {'unknown': command['do']};
    }
  }

  Json _open(Json command) {
    _opened?.close();
    final options = Options(
      command['key']! as String,
      command['edge_url']! as String,
      storage: FileStorage(command['folder']! as String),
      consent: () => consentOf(fields(command['consent'])),
      // That of a phone: this machine's own is that of a computer.
      userAgent: 'Dart/3.7 (Linux; Android; Mobile)',
    );
    _opened = PlacardClient(options);
    return {'key': options.shortKey};
  }

  Json _written(ServeOutcome outcome) {
    switch (outcome) {
      case ServeFilled(:final ad):
        _session = _client.session(ad);
        return {'status': 'filled', 'token': ad.trackToken, 'format': ad.format};
      case ServeNoFill(:final reason):
        return {'status': 'no_fill', 'reason': reason};
      case ServeFailed(:final error):
        return _failed(error);
    }
  }

  Json _tracked(TrackOutcome outcome) => switch (outcome) {
    TrackCounted() => {'status': 'counted'},
    TrackQueued() => {'status': 'queued'},
    TrackFailed(:final error) => _failed(error),
  };

  Json _failed(PlacardError error) => {
    'status': 'error',
    'code': error.code,
    'http': error.status,
    'request_id': error.requestId,
  };
}
