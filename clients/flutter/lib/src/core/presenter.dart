import 'ad.dart';
import 'ad_session.dart';
import 'client.dart';
import 'connection.dart';
import 'log.dart';
import 'outcomes.dart';
import 'serve_request.dart';
import 'viewable.dart';

/// Results of an ad's widget. Each may be null.
final class AdCallbacks {
  const AdCallbacks({
    this.onLoad,
    this.onNoFill,
    this.onImpression,
    this.onViewable,
    this.onClick,
    this.onError,
  });

  /// An ad is shown.
  final void Function(Ad ad)? onLoad;

  /// There is no ad for the slot now; this is not an error. The reason is for test keys only.
  final void Function(String? reason)? onNoFill;
  final void Function(Ad ad)? onImpression;

  /// Enough of the ad was in view for long enough.
  final void Function(Ad ad)? onViewable;
  final void Function(Ad ad)? onClick;
  final void Function(PlacardError error)? onError;
}

/// How an ad is shown.
enum AdShape {
  picture,
  html,
  native,
  audio,
  video;

  /// Throws [FormatException] where this version cannot show the [ad].
  factory AdShape.of(Ad ad) {
    if (!ad.hasWebLink) throw const FormatException("The ad's click URL is not a URL of the web.");
    if (ad.content.imageUrl != null) return AdShape.picture;
    return switch (ad.format) {
      'html' => AdShape.html,
      'native' => AdShape.native,
      'audio' => AdShape.audio,
      'video' => AdShape.video,
      final format => throw FormatException('This version cannot show the format $format.'),
    };
  }
}

/// An ad as it is shown.
abstract interface class ShownAd {
  /// While it plays, no other ad takes its place.
  bool get isBusy;

  /// It is out of the user's sight.
  void pause();

  void dispose();
}

/// What is in view of an ad: a part (0 to 1) of an [area] in square logical pixels. Where its window is
/// not in front, it is sampled once a second.
typedef InView = ({double ratio, double area, bool isInFront});

/// Where an [AdPresenter] shows its ads.
abstract interface class AdStage<V extends ShownAd> {
  /// Makes what shows the session's ad. Null where its picture could not be loaded; throws
  /// [FormatException] where it cannot be shown. [onClick]: the URL that was followed, or null for the
  /// ad's own.
  Future<V?> render(AdSession session, AdShape shape, void Function(String? url) onClick);

  /// Null: what stands in place of an ad.
  void show(V? shown, Ad? ad);

  /// Opens a URL of the web outside the app.
  void openUrl(String url);

  InView measure();

  /// It is pressed, or has the focus.
  bool get isInUse;

  /// A line for the debug overlay.
  void note(String line);
}

/// What a widget of one slot does over time: request, show, count, measure, refresh.
final class AdPresenter<V extends ShownAd> {
  AdPresenter(this._stage);

  static const int _intervalMs = 100;
  static const int _hiddenIntervalMs = 1000;

  final AdStage<V> _stage;
  PlacardClient? _client;
  ServeRequest? _request;
  AdCallbacks callbacks = const AdCallbacks();

  /// Increases with each change; what was begun in an earlier life is dropped.
  int _life = 0;

  /// As [_life], of samples.
  int _round = 0;
  bool _isAttached = false;
  AdSession? _session;
  V? _shown;
  ViewClock? _viewClock;
  RefreshClock? _refreshClock;

  /// Shows an ad of [request], another one than before. A null [client] is an error.
  void start(PlacardClient? client, ServeRequest request) {
    _client = client;
    _request = request;
    _life++;
    _clear();
    if (_isAttached) _serve();
  }

  /// It stands in a window.
  void attach() {
    if (_isAttached) return;
    _isAttached = true;
    if (_request == null) return;
    _session == null ? _serve() : _measure();
  }

  /// It stands in none: all work stops, and the ad stays.
  void detach() {
    _isAttached = false;
    _life++;
    _round++;
    // What is out of sight has a break in its view.
    _sample(0, 0);
    _shown?.pause();
  }

  void pause() => _shown?.pause();

  void dispose() {
    _isAttached = false;
    _life++;
    _round++;
    _shown?.dispose();
    _shown = null;
  }

  void _serve() {
    final client = _client;
    final request = _request;
    if (client == null || request == null) {
      const message = 'Call Placard.initialize() first, or pass a client.';
      return _fail(const PlacardError('invalid_request', message));
    }
    final ours = ++_life;
    final startMs = client.nowMs();
    runAside(() async {
      final outcome = await client.serve(request);
      if (ours != _life) return;
      _stage.note('${request.slot} ${client.options.shortKey}');
      _stage.note('${_describe(outcome)}, ${client.nowMs() - startMs} ms');
      await _finish(client, outcome);
    });
  }

  Future<void> _finish(PlacardClient client, ServeOutcome outcome) async {
    switch (outcome) {
      case ServeFilled(:final ad):
        return _render(client, ad);
      // A refresh that finds no ad leaves the present one, and is not reported.
      case ServeNoFill(:final reason):
        if (_session == null) _report('empty', () => callbacks.onNoFill?.call(reason));
      case ServeFailed(:final error):
        if (_session == null) _fail(error);
    }
    _measure();
  }

  Future<void> _render(PlacardClient client, Ad ad) async {
    final ours = _life;
    final next = client.session(ad);
    V? rendered;
    var message = "The ad's picture could not be loaded.";
    try {
      rendered = await _stage.render(next, AdShape.of(ad), (url) => _clicked(next, url));
    } on FormatException catch (fault) {
      message = fault.message;
    } catch (fault, trace) {
      PlacardLog.report(fault, trace);
      message = '$fault';
    }
    if (ours != _life) return rendered?.dispose();
    rendered == null ? _unrendered(next, message) : _put(next, rendered);
  }

  void _unrendered(AdSession failed, String message) {
    failed.record(AdEvent.error);
    _clear();
    _fail(PlacardError('render', message));
    _measure();
  }

  void _put(AdSession next, V rendered) {
    _clear();
    _session = next;
    _shown = rendered;
    _stage.show(rendered, next.ad);
    _report('load', () => callbacks.onLoad?.call(next.ad));
    if (next.recordImpression()) {
      _report('impression', () => callbacks.onImpression?.call(next.ad));
    }
    _viewClock = ViewClock(next.ad.viewability);
    _measure();
  }

  void _clear() {
    _round++;
    _shown?.dispose();
    _shown = null;
    _session = null;
    _viewClock = null;
    _refreshClock = null;
    _stage.show(null, null);
  }

  void _fail(PlacardError error) =>
      _report('error ${error.code}', () => callbacks.onError?.call(error));

  void _measure() {
    final client = _client;
    final request = _request;
    if (client == null || request == null || !_isAttached) return;
    final seconds = client.refreshSeconds(request.slot);
    _refreshClock = seconds == null ? null : RefreshClock(seconds);
    final ours = ++_round;
    void look() {
      if (ours != _round) return;
      final inView = _stage.measure();
      _sample(inView.isInFront ? inView.ratio : 0, inView.area);
      final isNeeded = _viewClock != null || _refreshClock != null;
      if (ours != _round || !isNeeded) return;
      final intervalMs = inView.isInFront ? _intervalMs : _hiddenIntervalMs;
      client.runAfter(intervalMs, () => guarded(look));
    }

    client.runAfter(0, () => guarded(look));
  }

  void _sample(double ratio, double area) {
    final nowMs = _client?.nowMs();
    if (nowMs == null) return;
    final session = _session;
    if (session != null && (_viewClock?.sample(nowMs, ratio, area) ?? false)) {
      _viewClock = null;
      if (session.record(AdEvent.viewable)) {
        _report('viewable', () => callbacks.onViewable?.call(session.ad));
      }
    }
    final isDue = _refreshClock?.sample(nowMs, ratio, area) ?? false;
    if (isDue && !_stage.isInUse && !(_shown?.isBusy ?? false)) {
      _refreshClock = null;
      _serve();
    }
  }

  void _clicked(AdSession of, String? url) {
    final target = of.recordClick();
    if (target == null) return;
    _stage.openUrl(url ?? target);
    _report('click', () => callbacks.onClick?.call(of.ad));
  }

  void _report(String name, void Function() call) {
    _stage.note(name);
    // The callbacks are the app's, and so are their faults.
    guarded(call);
  }

  String _describe(ServeOutcome outcome) => switch (outcome) {
    ServeFilled(:final ad) => 'ad ${ad.adId} by ${ad.source}',
    ServeNoFill(:final reason) => 'no fill: ${reason ?? 'test keys receive the reason'}',
    ServeFailed(:final error) => '$error',
  };
}
