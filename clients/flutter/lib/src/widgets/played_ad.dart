import 'dart:async';

import 'package:flutter/foundation.dart';
import 'package:flutter/widgets.dart';

import '../core/connection.dart';
import '../core/log.dart';
import '../core/outcomes.dart';
import '../core/viewable.dart';
import 'picture.dart';
import 'pressable.dart';
import 'rendered.dart';
import 'seams.dart';
import 'words.dart';

/// An ad that the user plays, by the app's player: nothing is loaded before that. A button plays and
/// pauses; quartiles are reported while it plays; a companion picture, or a text, leads to the
/// advertiser.
final class RenderedPlayer extends Rendered {
  RenderedPlayer(this._making, this._player, this._companion, {required this.isVideo});

  static const Duration _interval = Duration(milliseconds: 250);
  static const double _usualHeight = 180;

  final Making _making;
  final AdPlayer _player;
  final Picture? _companion;
  final bool isVideo;
  final Playback _playback = Playback();
  final ValueNotifier<int> _changes = ValueNotifier(0);
  Timer? _timer;
  bool _isPlaying = false;
  bool _isOver = false;
  bool _mayBeSkipped = false;
  bool _isDisposed = false;

  @override
  bool get isBusy => _isPlaying;

  @override
  void pause() {
    if (!_isPlaying) return;
    _setPlaying(false);
    runAside(_player.pause);
  }

  @override
  void dispose() {
    pause();
    _isDisposed = true;
    runAside(_player.dispose);
  }

  @override
  Widget build(BuildContext context) => ValueListenableBuilder<int>(
    valueListenable: _changes,
    builder:
        (context, changes, child) => Column(
          key: key,
          mainAxisSize: MainAxisSize.min,
          crossAxisAlignment: CrossAxisAlignment.start,
          children: [if (isVideo) _video(context), _controls(context), _more(context)],
        ),
  );

  Widget _video(BuildContext context) {
    final content = _making.ad.content;
    final width = content.width ?? _making.ad.width;
    final height = content.height ?? _making.ad.height;
    return Semantics(
      label: content.title ?? _making.words.advertisement,
      child: SizedBox(
        width: width?.toDouble(),
        height: height?.toDouble() ?? _usualHeight,
        child: _player.buildView(context),
      ),
    );
  }

  Widget _controls(BuildContext context) => Row(
    children: [
      _button(
        context,
        _isPlaying ? _making.words.pause : _making.words.play,
        _isOver ? null : (_isPlaying ? pause : _play),
      ),
      if (_mayBeSkipped && !_isOver)
        _button(context, _making.words.skip, () => _end(_playback.skip())),
    ],
  );

  Widget _more(BuildContext context) {
    final companion = _making.ad.content.companion;
    final picture = _companion;
    if (companion != null && picture != null) {
      final width = companion.width?.toDouble();
      final height = companion.height?.toDouble();
      return _making.link(picture.widget(width: width, height: height), companion.alt);
    }
    if (!_making.ad.hasDestination) return const SizedBox.shrink();
    return _making.link(_text(context, _making.words.more), _making.words.more);
  }

  Widget _button(BuildContext context, String text, void Function()? onPressed) => Pressable(
    label: text,
    use: _making.use,
    onPressed: onPressed == null ? null : () => guarded(onPressed),
    child: _text(context, text),
  );

  /// As high as a finger needs.
  Widget _text(BuildContext context, String text) => Container(
    constraints: const BoxConstraints(minHeight: 48, minWidth: 48),
    padding: const EdgeInsets.symmetric(horizontal: 12),
    alignment: Alignment.centerLeft,
    child: Text(text, style: TextStyle(fontSize: 14, color: textColour(context))),
  );

  void _play() {
    if (_isOver) return;
    _setPlaying(true);
    runAside(() async {
      try {
        await _player.play();
      } catch (fault, trace) {
        PlacardLog.report(fault, trace);
        _end(_playback.fail());
      }
    });
  }

  void _setPlaying(bool isPlaying) {
    _isPlaying = isPlaying;
    _timer?.cancel();
    _timer = isPlaying ? Timer.periodic(_interval, (timer) => guarded(_sample)) : null;
    _changed();
  }

  void _sample() {
    if (_player.hasFailed) return _end(_playback.fail());
    if (_player.isAtEnd) return _end(_playback.complete());
    final positionMs = _player.positionMs;
    // A player that is still loading has played nothing yet.
    if (positionMs > 0) _playback.advance(positionMs, _player.durationMs).forEach(_record);
    final skipMs = _making.ad.content.skipOffsetMs;
    if (skipMs == null || positionMs < skipMs || _mayBeSkipped) return;
    _mayBeSkipped = true;
    _changed();
  }

  void _end(List<AdEvent> events) {
    if (_isDisposed) return;
    events.forEach(_record);
    _isOver = true;
    pause();
    _changed();
  }

  void _record(AdEvent event) => _making.session.record(event);

  void _changed() {
    if (!_isDisposed) _changes.value++;
  }
}
