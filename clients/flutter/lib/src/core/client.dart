import 'dart:typed_data';

import 'ad.dart';
import 'ad_session.dart';
import 'connection.dart';
import 'consent.dart';
import 'event_queue.dart';
import 'event_sender.dart';
import 'features.dart';
import 'log.dart';
import 'options.dart';
import 'outcomes.dart';
import 'scheduler.dart';
import 'seen_counts.dart';
import 'serve_request.dart';

/// Ads of one publishable key at one edge. Making it only stores [options]; files and requests begin
/// with the first call. Its futures never fail: what goes wrong is in their result.
final class PlacardClient {
  PlacardClient(Options options) : this.withScheduler(options, TimerScheduler());

  /// With time and chance of your own, for tests.
  PlacardClient.withScheduler(this.options, this._scheduler);

  /// Version of this library.
  static const String version = Features.version;

  /// How soon features are requested again that were not available.
  static const int _featuresAgainS = 30;

  final Options options;
  final Scheduler _scheduler;
  late final String _folder = options.isTest ? 'test' : 'live';
  late final Connection _connection = Connection(options, _scheduler);
  late final SeenCounts _seen = SeenCounts(options.storage, _folder, _scheduler);
  late final EventSender _events = EventSender(
    EventQueue(options.storage, _folder, _scheduler),
    _connection,
    _scheduler,
  );
  Future<void>? _opening;
  Future<void>? _requestingFeatures;
  int? _featuresEndMs;
  bool _mayCount = false;
  bool _hasOptedOut = false;

  /// Requests an ad. This counts nothing: show the ad, then report its impression by [session] or
  /// [track].
  Future<ServeOutcome> serve(ServeRequest request) async {
    await _open();
    await _requireFeatures();
    final stop = _connection.features.stopReason;
    if (stop != null) return ServeNoFill(stop);
    final consent = await _consent();
    _mayCount = consent.mayCount(presumed: _connection.features.presumesConsent);
    await _events.allowDisk(consent.mayQueueOnDisk);
    final seen = await _seen.parameter(mayCount: _mayCount);
    final answer = await _connection.get('serve${request.query(consent, seen)}');
    if (answer.error == null) _events.connectionWorks();
    return _outcome(answer);
  }

  /// Reports an event of the ad with this [token]. It is stored first, and sent until the edge has
  /// counted or refused it; the result is that of the first attempts.
  Future<TrackOutcome> track(String token, AdEvent event, {Conversion? conversion}) async {
    await _open();
    return _events.send({
      'token': token,
      'event': event.wire,
      if (conversion?.valueCents case final valueCents?) 'value_cents': valueCents,
      if (conversion?.currency case final currency?) 'currency': currency,
      if (conversion?.orderId case final orderId?) 'order_id': orderId,
    });
  }

  /// Begins the showing of an [ad] that you render yourself.
  AdSession session(Ad ad) => AdSession(this, ad);

  /// The user's own refusal of personalised ads, as `Sec-GPC` is in browsers: every request then asks
  /// for contextual ads only, and counts on this device are deleted. Stored until it is set to false.
  Future<void> setOptedOut(bool isOptedOut) async {
    await _open();
    _hasOptedOut = isOptedOut;
    if (isOptedOut) await _seen.parameter(mayCount: false);
    try {
      await (isOptedOut
          ? options.storage.write(_optOut, '1')
          : options.storage.delete(_optOut));
    } catch (fault, trace) {
      PlacardLog.report(fault, trace);
    }
  }

  /// Sends queued events now; call it when the device is online again.
  Future<void> flush() async {
    await _open();
    _events.connectionWorks();
  }

  /// Ends all calls with the error `closed`. Unsent events stay in the storage.
  void close() {
    _connection.close();
    _events.close();
    _scheduler.close();
  }

  /// Loads a URL of an advertiser: a picture of an ad. Null where it failed.
  Future<Uint8List?> load(String url) async {
    final response = await _connection.load(url);
    return response?.status == 200 ? response?.body : null;
  }

  /// Seconds in view after which the slot requests another ad; null: never, or not known yet.
  int? refreshSeconds(String slot) => _connection.features.refreshSeconds(slot);

  Future<void> _open() => _opening ??= _openStorage();

  Future<void> _openStorage() async {
    try {
      _hasOptedOut = await options.storage.read(_optOut) != null;
    } catch (fault, trace) {
      PlacardLog.report(fault, trace);
    }
    await _events.open();
  }

  String get _optOut => '$_folder/opted-out';

  /// Requests the features where they are not known. Without them, an ad is requested all the same.
  Future<void> _requireFeatures() {
    final endMs = _featuresEndMs;
    if (endMs != null && _scheduler.nowMs() < endMs) return Future.value();
    return _requestingFeatures ??= _requestFeatures();
  }

  Future<void> _requestFeatures() async {
    final startMs = _scheduler.nowMs();
    final answer = await _connection.get('features', maxRetries: 0);
    // What was known stays until something newer comes.
    final received = answer.body == null ? null : Features(answer.body);
    if (received != null) _connection.features = received;
    final ttlSeconds = received?.ttlSeconds ?? _featuresAgainS;
    _featuresEndMs = startMs + ttlSeconds * 1000;
    _requestingFeatures = null;
  }

  Future<Consent> _consent() async {
    Consent given;
    try {
      given = await options.consent();
    } catch (fault, trace) {
      PlacardLog.report(fault, trace);
      given = Consent.refused;
    }
    return _hasOptedOut ? Consent.refused.orElse(given) : given;
  }

  ServeOutcome _outcome(Answer answer) {
    final error = answer.error;
    if (error != null) return ServeFailed(error);
    if (answer.body == null) return ServeNoFill(answer.reason);
    try {
      return ServeFilled(Ad.fromJson(answer.body));
    } on FormatException catch (fault) {
      return ServeFailed(PlacardError('invalid_response', fault.message, status: 200));
    }
  }
}

/// What other parts of the library use of a client.
extension ClientUse on PlacardClient {
  int nowMs() => _scheduler.nowMs();

  void runAfter(int ms, void Function() task) => _scheduler.runAfter(ms, task);

  void loadTracker(String url) => runAside(() => _connection.load(url));

  void trackAside(String token, AdEvent event) => runAside(() => track(token, event));

  void count(Ad ad, AdEvent event) => runAside(() async {
    await _open();
    if (_mayCount) await _seen.count(ad, event);
  });
}
