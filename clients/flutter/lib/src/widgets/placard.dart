import '../core/client.dart';
import '../core/consent.dart';
import '../core/log.dart';
import '../core/options.dart';
import '../core/outcomes.dart';
import '../core/serve_request.dart';
import 'seams.dart';

/// The library of this app. Call [initialize] once, in `main`; it only stores its arguments.
abstract final class Placard {
  static PlacardClient? _client;
  static AdParts _parts = const AdParts();

  /// The client of [initialize]; null before it.
  static PlacardClient? get client => _client;

  static AdParts get parts => _parts;

  /// With a publishable key and the base URL of the edge of its environment. [consent]: the app's own,
  /// or what its consent platform stored ([Consent.fromIab]). [options] has more settings, and then
  /// takes precedence over the other arguments. Called again, it replaces the settings for ads that are
  /// requested from then on.
  static void initialize(
    String publisherKey,
    String edgeUrl, {
    ConsentSource? consent,
    AdParts parts = const AdParts(),
    Options? options,
  }) => guarded(() {
    final earlier = _client;
    _client = PlacardClient(options ?? Options(publisherKey, edgeUrl, consent: consent));
    _parts = parts;
    earlier?.close();
  });

  /// Requests an ad for widgets of your own: show its content in an `AdBinding`.
  static Future<ServeOutcome> loadNative(ServeRequest request) {
    final client = _client;
    if (client != null) return client.serve(request);
    const error = PlacardError('invalid_request', 'Call Placard.initialize() first.');
    return Future.value(const ServeFailed(error));
  }

  /// The user's own refusal of personalised ads, for a switch in your app's settings. It is stored on
  /// the device, and every request then asks for contextual ads only.
  static Future<void> setOptedOut(bool isOptedOut) async => _client?.setOptedOut(isOptedOut);
}
