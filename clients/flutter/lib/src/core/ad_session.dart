import 'ad.dart';
import 'client.dart';
import 'outcomes.dart';

/// One showing of an ad, which uses its token: at most one impression, one of each quality signal, and
/// none after the token's life. For your own rendering of an ad's content; widgets of this library do
/// this by themselves. Never throws.
final class AdSession {
  AdSession(this._client, this.ad) : _servedMs = _client.nowMs();

  final PlacardClient _client;
  final Ad ad;
  final int _servedMs;
  final Set<AdEvent> _sent = {};

  /// Whether the ad was served so long ago that its token counts no more: request another one.
  bool get isExpired => ad.ttlSeconds > 0 && _client.nowMs() - _servedMs > ad.ttlSeconds * 1000;

  /// Call this when the ad can be seen. Returns whether it is the first call, and in time.
  bool recordImpression() {
    if (!record(AdEvent.impression)) return false;
    _client.count(ad, AdEvent.impression);
    ad.impressionTrackers.forEach(_client.loadTracker);
    return true;
  }

  /// Call this when the ad is clicked, then open the URL that this returns; the edge counts the click
  /// there. Null if the ad has no destination: then there is no click.
  String? recordClick() {
    if (!ad.hasDestination || !ad.hasWebLink) return null;
    _client.count(ad, AdEvent.click);
    ad.clickTrackers.forEach(_client.loadTracker);
    return ad.clickUrl;
  }

  /// Reports a quality signal, once. Returns whether it is the first call, and in time.
  bool record(AdEvent event) {
    if (isExpired || !_sent.add(event)) return false;
    _client.trackAside(ad.trackToken, event);
    return true;
  }
}
