// The README's examples.

import 'package:flutter/widgets.dart';
import 'package:placard/placard.dart';
import 'package:plugins/plugins.dart';

void main() {
  Placard.initialize('pk_live_…', 'https://edge.placard.example', parts: parts);
  runApp(const Sidebar());
}

class Sidebar extends StatelessWidget {
  const Sidebar({super.key});

  @override
  Widget build(BuildContext context) => AdView(
    slotId: 'sidebar',
    callbacks: AdCallbacks(onNoFill: (reason) => debugPrint('No ad: $reason')),
    fallback: const Text('Our own offer'),
  );
}

final parts = AdParts(
  openUrl: (url) => launchUrl(url, mode: LaunchMode.externalApplication),
  htmlView: (context, ad) => LockedWebView(ad),
  player: VideoAdPlayer.new,
);

class LockedWebView extends StatefulWidget {
  const LockedWebView(this.ad, {super.key});

  final HtmlAd ad;

  @override
  State<LockedWebView> createState() => _LockedWebViewState();
}

class _LockedWebViewState extends State<LockedWebView> {
  late final WebViewController _controller =
      WebViewController()
        ..setJavaScriptMode(JavaScriptMode.unrestricted)
        ..setNavigationDelegate(
          NavigationDelegate(
            onPageFinished: (url) => widget.ad.loaded(),
            onWebResourceError: (error) {
              if (error.isForMainFrame ?? false) widget.ad.failed();
            },
            onNavigationRequest: _decide,
          ),
        )
        ..loadHtmlString(widget.ad.document);

  NavigationDecision _decide(NavigationRequest request) {
    if (!request.isMainFrame || request.url == 'about:blank') return NavigationDecision.navigate;
    widget.ad.navigate(request.url);
    return NavigationDecision.prevent;
  }

  @override
  Widget build(BuildContext context) => WebViewWidget(controller: _controller);
}

class VideoAdPlayer implements AdPlayer {
  VideoAdPlayer(Medium medium)
    : _controller = VideoPlayerController.networkUrl(Uri.parse(medium.url));

  final VideoPlayerController _controller;

  @override
  Widget? buildView(BuildContext context) => VideoPlayer(_controller);

  @override
  Future<void> play() async {
    if (!_controller.value.isInitialized) await _controller.initialize();
    await _controller.play();
  }

  @override
  Future<void> pause() => _controller.pause();

  @override
  Future<void> dispose() => _controller.dispose();

  @override
  int get positionMs => _controller.value.position.inMilliseconds;

  @override
  int get durationMs => _controller.value.duration.inMilliseconds;

  @override
  bool get isAtEnd => _controller.value.isCompleted;

  @override
  bool get hasFailed => _controller.value.hasError;
}

class Feed extends StatefulWidget {
  const Feed({super.key});

  @override
  State<Feed> createState() => _FeedState();
}

class _FeedState extends State<Feed> {
  AdSession? _session;

  @override
  void initState() {
    super.initState();
    _load();
  }

  Future<void> _load() async {
    final outcome = await Placard.loadNative(const ServeRequest('feed', keywords: ['running']));
    if (outcome is! ServeFilled || !mounted) return;
    setState(() => _session = Placard.client?.session(outcome.ad));
  }

  @override
  Widget build(BuildContext context) {
    final session = _session;
    if (session == null) return const SizedBox.shrink();
    // Reports impression, view and click.
    return AdBinding(session: session, child: Text(session.ad.content.title ?? ''));
  }
}

Future<Consent> storedConsent() async {
  final stored = await SharedPreferencesAsync().getAll();
  return const Consent(coppa: false).orElse(Consent.fromIab(stored));
}
