import 'package:flutter/foundation.dart';
import 'package:flutter/widgets.dart';

import '../core/ad.dart';
import '../core/ad_session.dart';
import '../core/client.dart';
import '../core/connection.dart';
import '../core/log.dart';
import '../core/outcomes.dart';
import '../core/presenter.dart';
import '../core/serve_request.dart';
import 'in_view.dart';
import 'overlays.dart';
import 'placard.dart';
import 'pressable.dart';
import 'rendered.dart';
import 'words.dart';

/// Shows an ad of one slot. It requests the ad when it is put into the tree, and keeps it while it is
/// there. Another [slotId], [format] or [request] is another ad. Never throws.
final class AdView extends StatefulWidget {
  const AdView({
    super.key,
    this.slotId,
    this.format,
    this.request,
    this.client,
    this.callbacks = const AdCallbacks(),
    this.fallback,
  });

  /// Key or id of the slot.
  final String? slotId;

  /// Only ads of this format; null: any of the slot's.
  final String? format;

  /// A whole request, with keywords and key-values; it takes precedence over [slotId] and [format].
  final ServeRequest? request;

  /// Null: the one of `Placard.initialize`.
  final PlacardClient? client;
  final AdCallbacks callbacks;

  /// Shown until there is an ad, and where there is none.
  final Widget? fallback;

  @override
  State<AdView> createState() => _AdViewState();
}

final class _AdViewState extends State<AdView>
    with WidgetsBindingObserver
    implements AdStage<Rendered> {
  static const double _usualHeight = 250;
  static const Map<String, double> _reservedHeights = {
    'native': 120, 'audio': 60, 'video': 180, 'email': 200, //
  };

  late final AdPresenter<Rendered> _presenter = AdPresenter(this);
  final AdUse _use = AdUse();
  final ValueNotifier<String> _notes = ValueNotifier('');
  Rendered? _shown;

  /// In the tree and out of sight, until it is loaded.
  Rendered? _loading;
  Ad? _ad;
  bool _isOnStage = true;

  PlacardClient? get _client => widget.client ?? Placard.client;

  ServeRequest? get _request {
    final slotId = widget.slotId;
    return widget.request ?? (slotId == null ? null : ServeRequest(slotId, format: widget.format));
  }

  @override
  void initState() {
    super.initState();
    WidgetsBinding.instance.addObserver(this);
    // A result may come at once, and calls setState, which a build does not allow.
    WidgetsBinding.instance.addPostFrameCallback((elapsed) => guarded(_begin));
  }

  void _begin() {
    if (!mounted) return;
    _presenter.attach();
    _start();
  }

  void _start() {
    final request = _request;
    _presenter.callbacks = widget.callbacks;
    if (request != null) _presenter.start(_client, request);
  }

  @override
  void didChangeDependencies() {
    super.didChangeDependencies();
    _isOnStage = TickerMode.of(context);
  }

  @override
  void didUpdateWidget(AdView oldWidget) {
    super.didUpdateWidget(oldWidget);
    _presenter.callbacks = widget.callbacks;
    final isSame =
        oldWidget.slotId == widget.slotId &&
        oldWidget.format == widget.format &&
        oldWidget.request == widget.request &&
        oldWidget.client == widget.client;
    if (isSame) return;
    WidgetsBinding.instance.addPostFrameCallback((elapsed) {
      if (mounted) guarded(_start);
    });
  }

  @override
  void didChangeAppLifecycleState(AppLifecycleState state) {
    if (state == AppLifecycleState.hidden) guarded(_presenter.pause);
    // The device may be online again.
    if (state == AppLifecycleState.resumed) _client?.flush();
  }

  /// It leaves the tree, for a while (with a `GlobalKey`) or for good.
  @override
  void deactivate() {
    guarded(_presenter.detach);
    super.deactivate();
  }

  @override
  void activate() {
    super.activate();
    guarded(_presenter.attach);
  }

  @override
  void dispose() {
    WidgetsBinding.instance.removeObserver(this);
    guarded(_presenter.dispose);
    _notes.dispose();
    super.dispose();
  }

  @override
  Widget build(BuildContext context) {
    final ad = _ad;
    final shown = _shown;
    final loading = _loading;
    final height = _reservedHeights[_request?.format] ?? _usualHeight;
    return ConstrainedBox(
      constraints: BoxConstraints(minHeight: height),
      child: Stack(
        children: [
          if (shown == null) widget.fallback ?? const SizedBox.shrink() else shown.build(context),
          if (loading != null) Offstage(child: loading.build(context)),
          if (ad != null) Positioned(top: 0, right: 0, child: AdLabel(isTest: ad.isTest)),
          if (_client?.options.isDebug ?? false)
            Positioned(left: 0, right: 0, bottom: 0, child: DebugOverlay(notes: _notes)),
        ],
      ),
    );
  }

  @override
  Future<Rendered?> render(AdSession session, AdShape shape, void Function(String? url) onClick) {
    final client = _client;
    if (client == null || !mounted) return Future.value();
    final making = Making(
      client: client,
      session: session,
      parts: Placard.parts,
      words: Words.of(context),
      use: _use,
      onClick: (url) => guarded(() => onClick(url)),
      host: (loading) => setState(() => _loading = loading),
    );
    return making.render(context, shape);
  }

  @override
  void show(Rendered? shown, Ad? ad) {
    if (!mounted) return;
    setState(() {
      _loading = null;
      _shown = shown;
      _ad = ad;
    });
  }

  @override
  void openUrl(String url) {
    final openUrl = Placard.parts.openUrl;
    if (openUrl != null) runAside(() => openUrl(Uri.parse(url)));
  }

  @override
  InView measure() {
    final box = mounted ? _shown?.key.currentContext?.findRenderObject() : null;
    if (box is! RenderBox) return (ratio: 0, area: 0, isInFront: false);
    return measureInView(context, box, isOnStage: _isOnStage);
  }

  @override
  bool get isInUse => _use.isInUse;

  @override
  void note(String line) {
    if (!mounted || !(_client?.options.isDebug ?? false)) return;
    final lines = [..._notes.value.split('\n'), line];
    _notes.value = lines.skip(lines.length > 8 ? lines.length - 8 : 0).join('\n').trim();
  }
}
