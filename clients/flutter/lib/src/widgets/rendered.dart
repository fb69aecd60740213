import 'dart:async';

import 'package:flutter/widgets.dart';

import '../core/ad.dart';
import '../core/ad_session.dart';
import '../core/client.dart';
import '../core/presenter.dart';
import 'html_ad.dart';
import 'native_ad.dart';
import 'picture.dart';
import 'played_ad.dart';
import 'pressable.dart';
import 'seams.dart';
import 'words.dart';

/// An ad as widgets.
abstract class Rendered implements ShownAd {
  /// Of what is measured, and kept where it moves in the tree.
  final GlobalKey key = GlobalKey();

  @override
  bool get isBusy => false;

  @override
  void pause() {}

  @override
  void dispose() {}

  Widget build(BuildContext context);
}

/// Makes the widgets of an ad.
final class Making {
  Making({
    required this.client,
    required this.session,
    required this.parts,
    required this.words,
    required this.use,
    required this.onClick,
    required this.host,
  });

  final PlacardClient client;
  final AdSession session;
  final AdParts parts;
  final Words words;
  final AdUse use;

  /// With the URL that was followed, or null for the ad's own.
  final void Function(String? url) onClick;

  /// Puts an ad into the tree, out of sight, until it is loaded.
  final void Function(Rendered loading) host;

  Ad get ad => session.ad;

  /// Null where a picture or a document could not be loaded. Throws [FormatException] where the app has
  /// no part for the ad.
  Future<Rendered?> render(BuildContext context, AdShape shape) async {
    if (ad.hasDestination) _require(parts.openUrl, 'openUrl');
    switch (shape) {
      case AdShape.picture:
        final picture = await Picture.load(client, ad.content.imageUrl ?? '');
        if (picture == null || !context.mounted) return null;
        return await picture.decode(context) ? RenderedPicture(this, picture) : null;
      case AdShape.html:
        final view = _require(parts.htmlView, 'htmlView');
        final html = RenderedHtml(this, view);
        host(html);
        return await html.isLoaded ? html : null;
      case AdShape.native:
        final pictures = await NativePictures.load(client, ad.content);
        return RenderedNative(this, pictures);
      case AdShape.audio || AdShape.video:
        final player = _require(parts.player, 'player');
        final medium = ad.content.media.firstOrNull;
        if (medium == null) throw const FormatException('The ad has no file to play.');
        final companion = ad.content.companion?.imageUrl;
        final picture = companion == null ? null : await Picture.load(client, companion);
        return RenderedPlayer(this, player(medium), picture, isVideo: shape == AdShape.video);
    }
  }

  /// [child] leads to the advertiser, where the ad leads anywhere. [label]: what a screen reader reads.
  Widget link(Widget child, String? label) => Pressable(
    label: label == null || label.isEmpty ? words.advertisement : label,
    use: use,
    isLink: true,
    onPressed: ad.hasDestination ? () => onClick(null) : null,
    child: child,
  );

  static T _require<T extends Object>(T? part, String name) =>
      part ?? (throw FormatException('Pass $name of AdParts to Placard.initialize().'));
}

/// A picture, with the size that the ad gives it.
final class RenderedPicture extends Rendered {
  RenderedPicture(this._making, this._picture);

  final Making _making;
  final Picture _picture;

  @override
  Widget build(BuildContext context) {
    final content = _making.ad.content;
    final width = content.width ?? _making.ad.width;
    final height = content.height ?? _making.ad.height;
    final image = _picture.widget(width: width?.toDouble(), height: height?.toDouble());
    return Center(
      heightFactor: 1,
      child: KeyedSubtree(key: key, child: _making.link(image, content.alt)),
    );
  }
}
