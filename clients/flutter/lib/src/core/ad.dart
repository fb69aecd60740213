import 'json.dart';
import 'viewable.dart';

/// A file of an audio or video ad.
final class Medium {
  const Medium._(this.url, this.mime, this.durationMs);

  final String url;

  /// Such as `video/mp4`.
  final String mime;
  final int? durationMs;
}

/// How an ad's frequency cap is counted on this device.
final class Cap {
  const Cap._(this.name, this.event, this.windowSeconds);

  /// Opaque.
  final String name;

  /// Wire name of the counted event.
  final String event;
  final int windowSeconds;
}

/// When an ad counts as viewable: [ratio] of it (0 to 1) in view for [durationMs] without a break.
final class Viewability {
  const Viewability(this.ratio, this.durationMs);

  final double ratio;
  final int durationMs;
}

/// What an ad is made of. Which fields are set depends on its format. Sizes in logical pixels.
final class Content {
  Content._(Object? json)
    : imageUrl = json.text('image_url'),
      alt = json.text('alt'),
      html = json.text('html'),
      title = json.text('title'),
      body = json.text('body'),
      cta = json.text('cta'),
      sponsoredBy = json.text('sponsored_by'),
      icon = json.text('icon'),
      image = json.text('image'),
      media = _media(json),
      companion = json.member('companion') == null ? null : Content._(json.member('companion')),
      width = json.integer('width'),
      height = json.integer('height'),
      skipOffsetMs = json.integer('skip_offset_ms');

  final String? imageUrl;
  final String? alt;
  final String? html;
  final String? title;
  final String? body;
  final String? cta;
  final String? sponsoredBy;

  /// URL of a small picture beside the title.
  final String? icon;

  /// URL of a large picture.
  final String? image;
  final List<Medium> media;

  /// The picture shown beside an audio ad.
  final Content? companion;
  final int? width;
  final int? height;

  /// From when a video ad may be skipped, in milliseconds of its playback; null: never.
  final int? skipOffsetMs;

  static List<Medium> _media(Object? json) => [
    for (final medium in json.list('media'))
      if (medium.text('url') case final url?)
        Medium._(url, medium.text('mime') ?? '', medium.integer('duration_ms')),
  ];
}

/// An ad as the edge served it.
final class Ad {
  /// From the parsed body of a serve response. Throws [FormatException] where it lacks a field that
  /// cannot be done without.
  Ad.fromJson(Object? json)
    : decisionId = json.text('decision_id') ?? '',
      adId = json.text('ad_id') ?? '',
      campaignId = json.text('campaign_id') ?? '',
      slotId = json.text('slot_id') ?? '',
      propertyId = json.text('property_id') ?? '',
      format = _required(json, 'format'),
      width = json.integer('width'),
      height = json.integer('height'),
      content = Content._(json.member('content')),
      html = json.text('html') ?? '',
      trackToken = _required(json, 'track_token'),
      impressionUrl = json.text('impression_url') ?? '',
      clickUrl = _required(json, 'click_url'),
      source = json.text('source') ?? '',
      isTest = json.flag('is_test') ?? false,
      ttlSeconds = json.integer('ttl_seconds') ?? 0,
      hasDestination = json.flag('has_destination') ?? true,
      viewability = Viewability(
        json.member('viewability').number('ratio') ?? usualRatio,
        json.member('viewability').integer('duration_ms') ?? usualMs,
      ),
      caps = _caps(json),
      impressionTrackers = _trackers(json, 'impression_urls'),
      clickTrackers = _trackers(json, 'click_urls');

  final String decisionId;
  final String adId;
  final String campaignId;
  final String slotId;
  final String propertyId;

  /// `banner`, `html`, `native`, `audio`, `video` or `email`; others may be added.
  final String format;

  /// Logical pixels; null where the format has no size of its own.
  final int? width;
  final int? height;
  final Content content;

  /// The ad as markup for a page. Widgets of this library render [content] instead.
  final String html;

  /// Sent back unchanged, once for each kind of event.
  final String trackToken;
  final String impressionUrl;

  /// Opened unchanged when the ad is clicked; the edge counts the click and redirects.
  final String clickUrl;
  final String source;
  final bool isTest;

  /// Lifetime of [trackToken] in seconds.
  final int ttlSeconds;

  /// False: the ad has no link and no click.
  final bool hasDestination;
  final Viewability viewability;
  final List<Cap> caps;

  /// The advertiser's own URLs, loaded for each impression and each click.
  final List<String> impressionTrackers;
  final List<String> clickTrackers;

  /// Whether [clickUrl] is a URL of the web. Others are never opened, and the ad is not shown.
  bool get hasWebLink => _webUrl.hasMatch(clickUrl);

  // Also safe inside an attribute of an html ad.
  static final RegExp _webUrl = RegExp('^https?:[^\\s"\'<>&]+\$');

  static String _required(Object? json, String name) =>
      json.text(name) ?? (throw FormatException("The edge's response has no $name."));

  static List<Cap> _caps(Object? json) => [
    for (final cap in json.list('caps'))
      if ((cap.text('name'), cap.integer('window_seconds')) case (final name?, final window?))
        Cap._(name, cap.text('event') ?? '', window),
  ];

  static List<String> _trackers(Object? json, String name) => [
    for (final url in json.member('tracking').list(name))
      if (url is String && url.startsWith('https:')) url,
  ];
}
