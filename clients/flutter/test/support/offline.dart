import 'dart:convert';

import 'package:placard/core.dart';
import 'package:placard/src/core/event_queue.dart';

import 'cases.dart';
import 'scripted_edge.dart';
import 'virtual_scheduler.dart';

const Json _answers = {
  'features': {'status': 200, 'body': <String, Object?>{}},
  'refreshing': {
    'status': 200,
    'body': {
      'ttl_seconds': 60,
      'slots': [
        {'key': 'top', 'id': 's', 'refresh_seconds': 45},
      ],
    },
  },
  'ad': {
    'status': 200,
    'body': {
      'format': 'banner',
      'track_token': 'T',
      'click_url': 'https://edge.example/v1/click/T',
      'caps': [
        {'name': 'c1', 'event': 'impression', 'window_seconds': 60},
      ],
    },
  },
  'counted': {'status': 204},
  'offline': {'fault': 'network'},
  'revoked': {
    'status': 403,
    'body': {
      'error': {'code': 'key_revoked', 'message': 'It was rotated.'},
    },
  },
  'refused': {
    'status': 422,
    'body': {
      'error': {'code': 'validation_failed', 'message': 'One is wrong.'},
    },
  },
  'settled': {
    'status': 200,
    'body': {
      'results': [
        {'status': 204},
      ],
    },
  },
  'one_settled': {
    'status': 200,
    'body': {
      'results': [
        {'status': 204},
        {'status': 503},
      ],
    },
  },
};

/// The library before an edge that responds by script.
final class _World {
  _World(Json names, {MemoryStorage? storage, ConsentSource? consent})
    : storage = storage ?? MemoryStorage() {
    edge = ScriptedEdge(_answers, names, scheduler.nowMs);
    client = PlacardClient.withScheduler(
      Options(
        'pk_test_0123456789A1b2',
        'https://edge.example',
        storage: this.storage,
        transport: edge,
        consent: consent ?? () => const Consent(lgpd: true),
      ),
      scheduler,
    );
  }

  final MemoryStorage storage;
  final VirtualScheduler scheduler = VirtualScheduler();
  late final ScriptedEdge edge;
  late final PlacardClient client;

  Future<T> wait<T extends Object>(Future<T> call) async {
    T? result;
    call.then((found) => result = found).ignore();
    await scheduler.settle(() => result != null);
    return result!;
  }

  Iterable<Object?> bodies(String path) =>
      edge.requests.where((one) => one['path'] == '/v1/$path').map((one) => one['body']);

  String get stored => storage.texts['test/events.jsonl'] ?? '';

  int get lines => const LineSplitter().convert(stored).length;
}

List<Object?> _tokens(Object? body) => [
  for (final event in fieldsOf(fields(body)['events'])) event['token'],
];

Future<TrackOutcome> _track(_World world, String token) =>
    world.wait(world.client.track(token, AdEvent.impression));

final Map<String, Future<void> Function()> offlineTests = {
  'an event that cannot be sent is sent by a batch 30 seconds later': () async {
    final world = _World({'track': ['offline'], 'batch': ['counted']});
    expectSame(await _track(world, 'A') is TrackQueued, true, 'queued');
    final givenUpMs = world.scheduler.nowMs();
    await world.scheduler.settle(() => world.bodies('track/batch').isNotEmpty);
    expectSame(world.scheduler.nowMs() - givenUpMs, 30000, 'pause');
    expectSame(_tokens(world.bodies('track/batch').single), ['A'], 'batch');
  },
  'what the edge did not settle is sent again, and nothing else': () async {
    final world = _World({'track': ['offline'], 'batch': ['one_settled', 'counted']});
    await _track(world, 'A');
    await _track(world, 'B');
    await world.scheduler.settle(() => world.bodies('track/batch').length == 2);
    expectSame(world.bodies('track/batch').map(_tokens).toList(), const [
      ['A', 'B'],
      ['B'],
    ], 'batches');
  },
  'the wrong event of a batch is found by halving': () async {
    final world = _World({'track': ['offline'], 'batch': ['refused']});
    for (final token in ['A', 'B', 'C', 'D']) {
      await _track(world, token);
    }
    await world.scheduler.pass(900000);
    expectSame([for (final body in world.bodies('track/batch')) _tokens(body).length], const [
      4, 2, 1, 1, 1, 1, //
    ], 'sizes');
  },
  'a refused key keeps the events for the next version': () async {
    final world = _World({'track': ['offline'], 'batch': ['revoked']});
    await _track(world, 'A');
    await world.scheduler.pass(60000);
    expectSame(world.lines, 1, 'stored');
  },
  'what an earlier process left is sent at once': () async {
    final left = MemoryStorage();
    final before = _World({'track': ['offline']}, storage: left);
    await _track(before, 'A');
    before.client.close();
    await before.scheduler.pass(0);
    left.texts['test/events.jsonl'] = '${left.texts['test/events.jsonl']}{"id": 7, "at';
    final after = _World({'batch': ['settled']}, storage: left);
    await after.client.flush();
    await after.scheduler.pass(0);
    expectSame(_tokens(after.bodies('track/batch').single), ['A'], 'batch');
    await after.scheduler.pass(900000);
    expectSame(after.bodies('track/batch').length, 1, 'batches');
  },
  'events of a day ago are dropped': () async {
    final world = _World({'track': ['offline'], 'batch': ['offline', 'counted']});
    await _track(world, 'A');
    await world.scheduler.pass(EventQueue.maxAgeMs + 1);
    await _track(world, 'B');
    await world.scheduler.pass(1800000);
    expectSame(_tokens(world.bodies('track/batch').last), ['B'], 'batch');
  },
  'of more than 500 events the oldest are dropped': () async {
    final scheduler = VirtualScheduler();
    final queue = EventQueue(MemoryStorage(), 'test', scheduler);
    await queue.open();
    for (var number = 0; number < 510; number++) {
      (await queue.add({'token': '$number'})).isInFlight = false;
    }
    expectSame(queue.size, 500, 'size');
    expectSame(queue.batch(1).single.body['token'], '10', 'oldest');
  },
  'a batch has no more bytes than the edge accepts': () async {
    final queue = EventQueue(MemoryStorage(), 'test', VirtualScheduler());
    for (var number = 0; number < 50; number++) {
      (await queue.add({'token': 'x' * 1000})).isInFlight = false;
    }
    expectSame(queue.batch(50).length, 15, 'events');
  },
  'a second client of a folder works from memory': () async {
    final shared = MemoryStorage();
    final first = _World({'track': ['offline']}, storage: shared);
    final second = _World({'track': ['offline']}, storage: shared);
    await _track(first, 'A');
    await _track(second, 'B');
    expectSame(first.stored.contains('"B"'), false, 'stored');
  },
  'refused storage removes what is on the disk': () async {
    var consent = const Consent(lgpd: true);
    final world = _World({
      'features': ['features'],
      'serve': ['ad'],
      'track': ['offline'],
      'batch': ['offline'],
    }, consent: () => consent);
    await _track(world, 'A');
    expectSame(world.lines, 1, 'stored');
    consent = const Consent(storage: false);
    await world.wait(world.client.serve(const ServeRequest('top')));
    await world.scheduler.pass(0);
    expectSame(world.storage.texts.containsKey('test/events.jsonl'), false, 'stored');
  },
  'a user who opted out is not counted, in the next process neither': () async {
    final world = _World({'features': ['features'], 'serve': ['ad'], 'track': ['counted']});
    final served = await world.wait(world.client.serve(const ServeRequest('top')));
    world.client.session((served as ServeFilled).ad).recordImpression();
    await world.scheduler.pass(0);
    expectSame(world.storage.texts.containsKey('test/seen.json'), true, 'counted');
    await world.client.setOptedOut(true);
    await world.scheduler.pass(0);
    expectSame(world.storage.texts.containsKey('test/seen.json'), false, 'deleted');
    world.client.close();
    final next = _World({'features': ['features'], 'serve': ['ad']}, storage: world.storage);
    await next.wait(next.client.serve(const ServeRequest('top')));
    final query = fields(next.edge.requests.last['query']);
    expectSame([query['npa'], query['seen']], const ['1', null], 'query');
  },
  'a consent source that throws is a refusal': () async {
    final faults = <Object>[];
    PlacardLog.listener = (fault, trace) => faults.add(fault);
    final world = _World({
      'features': ['features'],
      'serve': ['ad'],
    }, consent: () => throw StateError('unreadable'));
    await world.wait(world.client.serve(const ServeRequest('top')));
    expectSame(fields(world.edge.requests.last['query'])['npa'], '1', 'query');
    expectSame(faults.length, 1, 'reported');
  },
  'known features stay where the next ones cannot be received': () async {
    final world = _World({'features': ['refreshing', 'offline', 'refreshing'], 'serve': ['ad']});
    for (final (pauseMs, requests) in [(0, 1), (60000, 2), (29999, 2), (1, 3)]) {
      await world.scheduler.pass(pauseMs);
      await world.wait(world.client.serve(const ServeRequest('top')));
      expectSame(world.client.refreshSeconds('top'), 45, 'refresh');
      expectSame(world.bodies('features').length, requests, 'requests');
    }
  },
  'a closed client ends its calls': () async {
    final world = _World({'features': ['features'], 'serve': ['offline']});
    final call = world.client.serve(const ServeRequest('top'));
    await world.scheduler.pass(100);
    world.client.close();
    final outcome = await call;
    expectSame((outcome as ServeFailed).error.code, 'closed', 'outcome');
  },
  'one impression is reported of a showing, and none after the token has expired': () async {
    final world = _World({'track': ['counted']});
    Ad ad(int ttl) => Ad.fromJson({
      ...fields(fields(_answers['ad'])['body']),
      'ttl_seconds': ttl,
    });
    final session = world.client.session(ad(10));
    expectSame([session.recordImpression(), session.recordImpression()], const [
      true, false, //
    ], 'first and second');
    await world.scheduler.pass(10001);
    expectSame([session.isExpired, session.record(AdEvent.viewable)], const [true, false], 'late');
  },
};
