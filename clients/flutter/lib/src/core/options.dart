import '../platform/platform.dart' as platform;
import 'consent.dart';
import 'storage.dart';
import 'transport.dart';

/// Settings of a client.
final class Options {
  /// [consent]: the app's own, or what its consent platform stored ([Consent.fromIab]).
  /// [storage]: by default the app's cache folder, in browsers its local storage.
  /// [userAgent]: overrides the platform's. [languages]: the device's, in the format of
  /// `Accept-Language`. [isDebug]: shows the result of each request on top of each ad; never for a
  /// release.
  Options(
    this.publisherKey,
    String edgeUrl, {
    ConsentSource? consent,
    Storage? storage,
    Transport? transport,
    String? userAgent,
    String? languages,
    this.isDebug = false,
  }) : edgeUrl = edgeUrl.replaceFirst(RegExp(r'/+$'), ''),
       consent = consent ?? _unknown,
       storage = storage ?? platform.createStorage(),
       transport = transport ?? platform.createTransport(),
       userAgent = userAgent ?? platform.userAgent,
       languages = languages ?? platform.languages;

  /// A publishable key, `pk_test_…` or `pk_live_…`.
  final String publisherKey;

  /// Base URL of the edge of the key's environment, such as `https://edge.example`.
  final String edgeUrl;
  final ConsentSource consent;
  final Storage storage;
  final Transport transport;
  final String? userAgent;
  final String? languages;
  final bool isDebug;

  /// Whether the key is one of the test environment.
  bool get isTest => publisherKey.startsWith('pk_test_');

  /// Kind and last four characters of the key, fit for logs: `pk_test_…A1b2`.
  String get shortKey {
    final start = publisherKey.length < 8 ? publisherKey.length : 8;
    final end = publisherKey.length - 4;
    return '${publisherKey.substring(0, start)}…${publisherKey.substring(end < start ? start : end)}';
  }

  static Consent _unknown() => Consent.unknown;
}
