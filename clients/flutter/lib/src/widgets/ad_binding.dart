import 'dart:async';

import 'package:flutter/widgets.dart';

import '../core/ad_session.dart';
import '../core/connection.dart';
import '../core/log.dart';
import '../core/outcomes.dart';
import '../core/presenter.dart';
import '../core/viewable.dart';
import 'in_view.dart';
import 'placard.dart';
import 'pressable.dart';
import 'words.dart';

/// Measures and links [child], which shows the ad of [session]. The impression is reported when a part of
/// it is in view, once for each session. One tap anywhere in it is the ad's click.
final class AdBinding extends StatefulWidget {
  const AdBinding({
    super.key,
    required this.session,
    this.callbacks = const AdCallbacks(),
    required this.child,
  });

  final AdSession session;
  final AdCallbacks callbacks;
  final Widget child;

  @override
  State<AdBinding> createState() => _AdBindingState();
}

final class _AdBindingState extends State<AdBinding> {
  final AdUse _use = AdUse();
  final Stopwatch _clock = Stopwatch()..start();
  late ViewClock _viewClock = ViewClock(widget.session.ad.viewability);
  Timer? _timer;
  bool _isOnStage = true;

  @override
  void initState() {
    super.initState();
    _measure();
  }

  @override
  void didChangeDependencies() {
    super.didChangeDependencies();
    _isOnStage = TickerMode.of(context);
  }

  @override
  void didUpdateWidget(AdBinding oldWidget) {
    super.didUpdateWidget(oldWidget);
    if (oldWidget.session == widget.session) return;
    _viewClock = ViewClock(widget.session.ad.viewability);
    _measure();
  }

  @override
  void dispose() {
    _timer?.cancel();
    super.dispose();
  }

  @override
  Widget build(BuildContext context) {
    final ad = widget.session.ad;
    final spoken = [ad.content.title, ad.content.body, ad.content.cta, ad.content.sponsoredBy];
    final label = spoken.whereType<String>().join('. ');
    return Pressable(
      label: label.isEmpty ? Words.of(context).advertisement : label,
      use: _use,
      isLink: true,
      onPressed: ad.hasDestination && ad.hasWebLink ? () => guarded(_click) : null,
      child: widget.child,
    );
  }

  void _measure() {
    _timer?.cancel();
    _timer = Timer.periodic(const Duration(milliseconds: 100), (timer) => guarded(_sample));
  }

  void _sample() {
    final box = context.findRenderObject();
    if (box is! RenderBox) return;
    final session = widget.session;
    final callbacks = widget.callbacks;
    final inView = measureInView(context, box, isOnStage: _isOnStage);
    if (inView.ratio > 0 && session.recordImpression()) callbacks.onImpression?.call(session.ad);
    if (_viewClock.sample(_clock.elapsedMilliseconds, inView.ratio, inView.area)) {
      _timer?.cancel();
      if (session.record(AdEvent.viewable)) callbacks.onViewable?.call(session.ad);
    }
    if (session.isExpired) _timer?.cancel();
  }

  void _click() {
    final openUrl = Placard.parts.openUrl;
    if (openUrl == null) throw StateError('Pass openUrl of AdParts to Placard.initialize().');
    final url = widget.session.recordClick();
    if (url == null) return;
    runAside(() => openUrl(Uri.parse(url)));
    widget.callbacks.onClick?.call(widget.session.ad);
  }
}
