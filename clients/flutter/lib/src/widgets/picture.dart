import 'dart:typed_data';

import 'package:flutter/painting.dart';
import 'package:flutter/widgets.dart';

import '../core/client.dart';

/// A picture of an ad, loaded by the library's own transport. Decoding is the engine's, on its own thread.
final class Picture {
  Picture._(Uint8List bytes)
    : _image = ResizeImage(
        MemoryImage(bytes),
        width: _maxPixels,
        height: _maxPixels,
        policy: ResizeImagePolicy.fit,
      );

  /// Larger pictures are made smaller: no screen shows more of an ad.
  static const int _maxPixels = 2048;

  final ImageProvider<Object> _image;

  /// Null where it could not be loaded.
  static Future<Picture?> load(PlacardClient client, String url) async {
    final bytes = await client.load(url);
    return bytes == null || bytes.isEmpty ? null : Picture._(bytes);
  }

  /// Whether it is a picture.
  Future<bool> decode(BuildContext context) async {
    var isDecoded = true;
    await precacheImage(_image, context, onError: (fault, trace) => isDecoded = false);
    return isDecoded;
  }

  /// [width] by [height] logical pixels, smaller where there is less room; null: its own size.
  Widget widget({double? width, double? height}) {
    final image = Image(
      image: _image,
      fit: BoxFit.contain,
      excludeFromSemantics: true,
      gaplessPlayback: true,
      errorBuilder: (context, fault, trace) => const SizedBox.shrink(),
    );
    if (width == null || height == null || width <= 0 || height <= 0) return image;
    return ConstrainedBox(
      constraints: BoxConstraints(maxWidth: width, maxHeight: height),
      child: AspectRatio(aspectRatio: width / height, child: image),
    );
  }
}
