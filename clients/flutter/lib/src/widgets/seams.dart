import 'package:flutter/widgets.dart';

import '../core/ad.dart';

/// What only plugins can do, and this package has no dependency: your app passes what it uses already.
/// A format whose part is missing is not shown, and its error names the part.
final class AdParts {
  const AdParts({this.openUrl, this.htmlView, this.player});

  /// Opens a URL of the web outside the app, by `url_launcher` or your own code. Without it, no click
  /// leads anywhere and none is counted.
  final Future<void> Function(Uri url)? openUrl;

  /// A web view for html ads, by `webview_flutter` or your own code.
  final Widget Function(BuildContext context, HtmlAd ad)? htmlView;

  /// A player for audio and video ads, by `video_player` or your own code.
  final AdPlayer Function(Medium medium)? player;
}

/// An html ad for a web view. The web view must be locked: it loads [document] from a string, has an
/// origin of its own, and no bridge to the app, no files, storage, location or third-party cookies. It
/// passes each navigation to [navigate] and follows none.
final class HtmlAd {
  const HtmlAd({
    required this.document,
    required this.loaded,
    required this.failed,
    required this.navigate,
  });

  final String document;

  /// Call this once the document is loaded.
  final void Function() loaded;

  /// Call this where the document cannot be loaded, or its process ended.
  final void Function() failed;

  /// Call this with each URL that the document wants to open. The user's own are opened outside the
  /// app, and a click is reported; others are dropped.
  final void Function(String url) navigate;
}

/// A player of one file. Nothing is loaded before [play].
abstract interface class AdPlayer {
  /// The picture of a video; null where there is none.
  Widget? buildView(BuildContext context);

  /// Plays from where it stopped. Fails where the file cannot be played.
  Future<void> play();

  Future<void> pause();

  Future<void> dispose();

  /// In milliseconds; 0 where it is unknown.
  int get positionMs;
  int get durationMs;

  /// The end was reached by playing.
  bool get isAtEnd;

  /// It stopped by an error.
  bool get hasFailed;
}
