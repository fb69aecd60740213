import 'package:placard/core.dart';
import 'package:placard/src/core/presenter.dart';

import 'cases.dart';
import 'scripted_edge.dart';
import 'virtual_scheduler.dart';

/// A case of a view: the library's presenter, on a stage without Flutter.
final class ViewCase implements AdStage<StageAd> {
  ViewCase(this._known, this._case);

  final Cases _known;
  final Json _case;
  final VirtualScheduler _scheduler = VirtualScheduler();
  final List<String> _callbacks = [];
  final List<Object> _faults = [];
  late final ScriptedEdge _edge = ScriptedEdge(
    _known.answers,
    fields(_case['answers']),
    _scheduler.nowMs,
  );
  late final AdPresenter<StageAd> _presenter = AdPresenter(this);
  late final PlacardClient _client = _open();
  StageAd? _shown;

  Future<void> holds() async {
    PlacardLog.listener = (fault, trace) => _faults.add('$fault\n$trace');
    _presenter.callbacks = _listener();
    for (final step in fieldsOf(_case['do'])) {
      await _perform(step);
    }
    final expect = fields(_case['expect']);
    final wanted =
        fieldsOf(
          expect['requests'],
        ).where((request) => !'${request['url']}'.contains('/v1/frame/')).toList();
    final callbacks = expect['callbacks']! as List<Object?>;
    await _scheduler.settle(
      () => _callbacks.length >= callbacks.length && _requests().length >= wanted.length,
    );
    _presenter.dispose();
    final loose = _case['any_order'] as int? ?? expect['any_order'] as int? ?? 0;
    expectSame(_faults.length, 0, '$_faults');
    expectSame(_callbacks, callbacks, 'callbacks');
    expectSame(_ordered(_requests(), loose), _ordered(wanted, loose), 'requests');
  }

  PlacardClient _open() {
    final given = fields(_case['given']);
    final options = Options(
      given['publisher_key']! as String,
      given['edge_url']! as String,
      consent: () => consentOf(fields(given['consent'])),
      storage: MemoryStorage(),
      transport: _edge,
    );
    return PlacardClient.withScheduler(options, _scheduler);
  }

  AdCallbacks _listener() => AdCallbacks(
    onLoad: (ad) => _callbacks.add('load'),
    onNoFill: (reason) => _callbacks.add('empty'),
    onImpression: (ad) => _callbacks.add('impression'),
    onViewable: (ad) => _callbacks.add('viewable'),
    onClick: (ad) => _callbacks.add('click'),
    onError: (error) => _callbacks.add('error'),
  );

  Future<void> _perform(Json step) async {
    switch (step['call']) {
      case 'show':
        _presenter.attach();
        _presenter.start(_client, requestOf(fields(step['request'])));
      case 'wait_for':
        await _scheduler.settle(() => _callbacks.contains(step['callback']));
      case 'wait':
        await _scheduler.pass(step['ms']! as int);
      case 'reinsert':
        _presenter.detach();
        _presenter.attach();
      case 'click':
        final shown = _shown;
        if (shown != null && shown.ad.hasDestination) shown.onClick(null);
      default:
        throw StateError('${step['call']} is unknown.');
    }
  }

  List<Json> _requests() => [
    for (final request in _edge.requests)
      if (!'${request['url']}'.startsWith('https://brand.example/'))
        {...request}
          ..remove('at_ms')
          ..remove('query'),
  ];

  /// The last [loose] requests, and an impression with its trackers, are sent together.
  List<String> _ordered(List<Json> requests, int loose) {
    final plain = [
      for (final one in requests) '${one['method']} ${one['path']} ${one['url']} ${one['body']}',
    ];
    final fixed = plain.sublist(0, plain.length - loose);
    for (var at = 0; at + 1 < fixed.length; at++) {
      if (!fixed[at].contains('seen.gif') || !fixed[at + 1].contains('impression')) continue;
      fixed.insert(at, fixed.removeAt(at + 1));
    }
    return [...fixed, ...plain.sublist(plain.length - loose)..sort()];
  }

  @override
  Future<StageAd?> render(
    AdSession session,
    AdShape shape,
    void Function(String? url) onClick,
  ) async {
    final picture = session.ad.content.imageUrl;
    if (shape == AdShape.picture && await _client.load(picture ?? '') == null) return null;
    return StageAd(session.ad, onClick);
  }

  @override
  void show(StageAd? shown, Ad? ad) => _shown = shown;

  @override
  void openUrl(String url) => _edge.requests.add({'method': 'GET', 'url': url});

  @override
  ({double ratio, double area, bool isInFront}) measure() =>
      (ratio: 1, area: _shown == null ? 0 : 75000, isInFront: true);

  @override
  bool get isInUse => false;

  @override
  void note(String line) {}
}

final class StageAd implements ShownAd {
  StageAd(this.ad, this.onClick);

  final Ad ad;
  final void Function(String? url) onClick;

  @override
  bool get isBusy => false;

  @override
  void pause() {}

  @override
  void dispose() {}
}
