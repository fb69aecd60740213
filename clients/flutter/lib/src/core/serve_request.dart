import 'consent.dart';

/// What is requested for a slot. Only the slot is required.
final class ServeRequest {
  const ServeRequest(
    this.slot, {
    this.format,
    this.width,
    this.height,
    this.keywords = const [],
    this.keyValues = const {},
    this.uid,
    this.languages,
  });

  /// Key or id of the slot.
  final String slot;

  /// Only an ad of this format.
  final String? format;

  /// Available space in logical pixels; null: any.
  final int? width;
  final int? height;
  final List<String> keywords;

  /// Matched against key-values in targeting.
  final Map<String, List<String>> keyValues;

  /// Your own opaque id of the user; used with consent only.
  final String? uid;

  /// In the format of `Accept-Language`; takes precedence over the device's languages.
  final String? languages;

  String get _text => query(Consent.unknown, null);

  /// Requests for the same are equal: a widget that is built again shows the same ad.
  @override
  bool operator ==(Object other) => other is ServeRequest && other._text == _text;

  @override
  int get hashCode => _text.hashCode;
}

/// The request as the edge receives it.
extension ServeQuery on ServeRequest {
  /// Begins with `?`. [seen]: this device's counts; null where it has none to send.
  String query(Consent consent, String? seen) {
    final pairs = <String>[];
    void put(String name, String? value) {
      if (value == null || value.isEmpty) return;
      pairs.add('${Uri.encodeQueryComponent(name)}=${Uri.encodeQueryComponent(value)}');
    }

    put('slot', slot);
    put('format', format);
    put('w', width?.toString());
    put('h', height?.toString());
    put('keywords', keywords.join(','));
    put('uid', uid);
    put('lang', languages);
    consent.parameters.forEach(put);
    put('seen', seen);
    for (final MapEntry(key: name, value: values) in keyValues.entries) {
      for (final value in values) {
        put('kv.$name', value);
      }
    }
    return '?${pairs.join('&')}';
  }
}
