import 'dart:async';

import 'package:flutter/widgets.dart';

import '../core/log.dart';
import 'rendered.dart';
import 'seams.dart';

/// Markup of an advertiser in the app's locked web view. What the user follows opens outside the app.
final class RenderedHtml extends Rendered {
  RenderedHtml(this._making, this._view) {
    _deadline = Timer(const Duration(milliseconds: _loadMs), () => _finish(isLoaded: false));
  }

  static const String _clickMacro = '{click_url}';
  static const int _loadMs = 10000;

  /// After a touch, a navigation counts as the user's.
  static const int _gestureMs = 1000;

  final Making _making;
  final Widget Function(BuildContext context, HtmlAd ad) _view;
  final Completer<bool> _loaded = Completer();
  final Stopwatch _clock = Stopwatch()..start();
  late final Timer _deadline;
  int? _touchedMs;

  late final HtmlAd _html = HtmlAd(
    document: _document(),
    loaded: () => _finish(isLoaded: true),
    failed: () => _finish(isLoaded: false),
    navigate: (url) => guarded(() => _follow(url)),
  );

  /// Completes within ten seconds.
  Future<bool> get isLoaded => _loaded.future;

  @override
  void dispose() => _finish(isLoaded: false);

  @override
  Widget build(BuildContext context) {
    final ad = _making.ad;
    final content = ad.content;
    final width = (content.width ?? ad.width)?.toDouble();
    final height = (content.height ?? ad.height)?.toDouble();
    final view = Semantics(
      container: true,
      label: _making.words.advertisement,
      child: Listener(
        onPointerUp: (event) => _touchedMs = _clock.elapsedMilliseconds,
        child: _view(context, _html),
      ),
    );
    // The markup has no link of its own: then all of it is one.
    final isWholeLink = ad.hasDestination && !(content.html ?? '').contains(_clickMacro);
    return Center(
      heightFactor: 1,
      child: SizedBox(
        key: key,
        width: width,
        height: height ?? 250,
        child: isWholeLink ? _making.link(AbsorbPointer(child: view), null) : view,
      ),
    );
  }

  /// The size is the ad's own: the page may neither scale nor scroll.
  String _document() {
    final html = (_making.ad.content.html ?? '').replaceAll(_clickMacro, _making.ad.clickUrl);
    return '<!doctype html><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<style>body{margin:0;overflow:hidden}</style>$html';
  }

  void _follow(String url) {
    final touchedMs = _touchedMs;
    if (touchedMs == null || _clock.elapsedMilliseconds - touchedMs > _gestureMs) return;
    if (!url.startsWith('http:') && !url.startsWith('https:')) return;
    if (url.startsWith(_making.ad.clickUrl)) return _making.onClick(url);
    final openUrl = _making.parts.openUrl;
    if (openUrl != null) unawaited(openUrl(Uri.parse(url)));
  }

  void _finish({required bool isLoaded}) {
    _deadline.cancel();
    if (!_loaded.isCompleted) _loaded.complete(isLoaded);
  }
}
