// Runs each conformance case on a clock that passes at once, and prints a line of JSON for each: its file,
// its name, and what is wrong, or null. The first argument is the folder of the cases.

import 'dart:convert';

import 'package:placard/core.dart';
import 'package:placard/src/core/features.dart';

import 'support/cases.dart';
import 'support/scripted_edge.dart';
import 'support/view_case.dart';
import 'support/virtual_scheduler.dart';

Future<void> main(List<String> arguments) async {
  final known = Cases(arguments.first);
  for (final file in ['requests', 'outcomes', 'retries', 'tokens', 'views']) {
    for (final one in known.of(file)) {
      Object? fault;
      try {
        await (file == 'views' ? ViewCase(known, one).holds() : CallCase(known, one).holds());
      } catch (found, trace) {
        fault = '$found\n$trace';
      }
      print(jsonEncode({'file': file, 'name': one['name'], 'fault': fault}));
    }
  }
}

/// A case that needs no view.
final class CallCase {
  CallCase(this._known, this._case);

  final Cases _known;
  final Json _case;
  late final Json _given = fields(_case['given']);
  late final VirtualScheduler _scheduler = VirtualScheduler(
    (_given['random'] as num? ?? 0.5).toDouble(),
  );
  late final ScriptedEdge _edge = ScriptedEdge(
    _known.answers,
    fields(_case['answers']),
    _scheduler.nowMs,
  );
  final MemoryStorage _storage = MemoryStorage();

  Future<void> holds() async {
    if (_given['seen'] case final Json seen) _storage.texts['test/seen.json'] = _stored(seen);
    final options = Options(
      _given['publisher_key']! as String,
      _given['edge_url']! as String,
      consent: () => consentOf(fields(_given['consent'])),
      storage: _storage,
      transport: _edge,
    );
    final outcomes = await _perform(PlacardClient.withScheduler(options, _scheduler));
    final expect = fields(_case['expect']);
    expectSame(_edge.requests, expect['requests'], 'requests');
    expectSame(outcomes.length, fieldsOf(expect['outcomes']).length, 'outcomes');
    for (final (index, wanted) in fieldsOf(expect['outcomes']).indexed) {
      _check(outcomes[index], wanted);
    }
    for (final headers in _edge.headers) {
      expectSame(headers['X-Service-Key'], _given['publisher_key'], 'key');
      expectSame(headers['X-Placard-Client'], 'flutter/${Features.version}', 'library');
    }
    if (fields(_given['consent'])['storage'] == false) {
      expectSame(_storage.texts.keys.toList(), const <String>[], 'stored');
    }
  }

  Future<List<Object>> _perform(PlacardClient client) async {
    final steps = fieldsOf(_case['do']);
    final outcomes = List<Object?>.filled(steps.length, null);
    final isTogether = steps.any((step) => step.containsKey('at_ms'));
    for (final (index, step) in steps.indexed) {
      void act() => _start(client, step).then((outcome) => outcomes[index] = outcome).ignore();
      if (step['call'] == 'wait') {
        await _scheduler.pass(step['ms']! as int);
        outcomes[index] = 'waited';
      } else if (step['at_ms'] case final int atMs) {
        _scheduler.runAfter(atMs, act);
      } else {
        act();
      }
      if (!isTogether) await _scheduler.settle(() => outcomes[index] != null);
    }
    await _scheduler.settle(() => !outcomes.contains(null));
    return outcomes.nonNulls.where((outcome) => outcome != 'waited').toList();
  }

  Future<Object> _start(PlacardClient client, Json step) {
    if (step['call'] == 'serve') return client.serve(requestOf(fields(step['request'])));
    final conversion = step['conversion'] as Json?;
    return client.track(
      step['token']! as String,
      AdEvent.values.singleWhere((event) => event.wire == step['event']),
      conversion:
          conversion == null
              ? null
              : Conversion(
                valueCents: conversion['value_cents'] as int?,
                currency: conversion['currency'] as String?,
                orderId: conversion['order_id'] as String?,
              ),
    );
  }

  void _check(Object outcome, Json wanted) {
    final (status, reason, error) = switch (outcome) {
      ServeFilled() => ('filled', null, null),
      ServeNoFill(:final reason) => ('no_fill', reason, null),
      TrackCounted() => ('counted', null, null),
      ServeFailed(:final error) || TrackFailed(:final error) => ('error', null, error),
      _ => ('queued', null, null),
    };
    expectSame(status, wanted['status'], 'status');
    if (status == 'no_fill') expectSame(reason, wanted['reason'], 'reason');
    if (wanted['error'] case final Json expected) {
      expectSame(error?.code, expected['code'], 'code');
      if (expected.containsKey('status')) expectSame(error?.status, expected['status'], 'status');
    }
  }

  String _stored(Json seen) => jsonEncode({
    for (final MapEntry(:key, :value) in seen.entries)
      key: [
        for (final seconds in value! as List<Object?>)
          VirtualScheduler.startMs + (seconds! as int) * 1000,
      ],
  });
}
