import 'package:flutter/widgets.dart';

import '../core/ad.dart';
import '../core/client.dart';
import 'picture.dart';
import 'rendered.dart';
import 'words.dart';

/// Pictures of a native ad. Without one that could not be loaded the ad is complete all the same.
final class NativePictures {
  const NativePictures._(this.icon, this.image);

  final Picture? icon;
  final Picture? image;

  static Future<NativePictures> load(PlacardClient client, Content content) async {
    final found = await Future.wait([
      for (final url in [content.icon, content.image])
        url == null ? Future<Picture?>.value() : Picture.load(client, url),
    ]);
    return NativePictures._(found.first, found.last);
  }
}

/// A native ad in the app's own colours: icon, title and sponsor in a row, then picture, text and call
/// to action.
final class RenderedNative extends Rendered {
  RenderedNative(this._making, this._pictures);

  final Making _making;
  final NativePictures _pictures;

  @override
  Widget build(BuildContext context) {
    final content = _making.ad.content;
    final icon = _pictures.icon;
    final image = _pictures.image;
    final spoken = [content.title, content.body, content.cta, content.sponsoredBy];
    final rows = Column(
      crossAxisAlignment: CrossAxisAlignment.start,
      mainAxisSize: MainAxisSize.min,
      children: [
        Row(
          children: [
            if (icon != null)
              Padding(
                padding: const EdgeInsets.only(right: 8),
                child: icon.widget(width: 32, height: 32),
              ),
            Expanded(
              child: Column(
                crossAxisAlignment: CrossAxisAlignment.start,
                children: [
                  ..._line(context, content.title, 16, isBold: true),
                  ..._line(context, content.sponsoredBy, 12),
                ],
              ),
            ),
          ],
        ),
        if (image != null) image.widget(),
        ..._line(context, content.body, 14),
        ..._line(context, content.cta, 14, isBold: true),
      ],
    );
    return KeyedSubtree(
      key: key,
      child: _making.link(
        Padding(padding: const EdgeInsets.all(8), child: rows),
        spoken.whereType<String>().join('. '),
      ),
    );
  }

  List<Widget> _line(BuildContext context, String? text, double size, {bool isBold = false}) => [
    if (text != null && text.isNotEmpty)
      Text(
        text,
        style: TextStyle(
          fontSize: size,
          color: textColour(context),
          fontWeight: isBold ? FontWeight.bold : FontWeight.normal,
        ),
      ),
  ];
}
