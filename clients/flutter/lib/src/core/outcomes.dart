import 'ad.dart';

/// Why a call failed.
final class PlacardError {
  const PlacardError(this.code, this.message, {this.status, this.requestId});

  /// The edge's own, or `network`, `timeout`, `invalid_response`, `invalid_request`, `render`, `closed`.
  final String code;
  final String message;

  /// HTTP status, if the edge responded.
  final int? status;

  /// Quote it to support.
  final String? requestId;

  @override
  String toString() => '$code: $message${requestId == null ? '' : ' ($requestId)'}';
}

/// Result of a serve request.
sealed class ServeOutcome {
  const ServeOutcome();
}

final class ServeFilled extends ServeOutcome {
  const ServeFilled(this.ad);

  final Ad ad;
}

/// There is no ad for the slot now; this is not an error.
final class ServeNoFill extends ServeOutcome {
  const ServeNoFill(this.reason);

  /// Sent to test keys, and set where no request was made (`kill_switch`, `outdated`).
  final String? reason;
}

final class ServeFailed extends ServeOutcome {
  const ServeFailed(this.error);

  final PlacardError error;
}

/// Result of reporting an event.
sealed class TrackOutcome {
  const TrackOutcome();
}

/// Counted, now or before.
final class TrackCounted extends TrackOutcome {
  const TrackCounted();
}

/// The edge could not be reached. The event is queued and sent later.
final class TrackQueued extends TrackOutcome {
  const TrackQueued();
}

/// The edge refused the event; it is not sent again.
final class TrackFailed extends TrackOutcome {
  const TrackFailed(this.error);

  final PlacardError error;
}

/// What a token may be sent for.
enum AdEvent {
  impression('impression'),
  click('click'),
  conversion('conversion'),
  viewable('viewable'),
  start('start'),
  firstQuartile('first_quartile'),
  midpoint('midpoint'),
  thirdQuartile('third_quartile'),
  complete('complete'),
  skip('skip'),
  error('error');

  const AdEvent(this.wire);

  /// Its name for the edge.
  final String wire;
}

/// Value of a conversion.
final class Conversion {
  const Conversion({this.valueCents, this.currency, this.orderId});

  final int? valueCents;

  /// ISO 4217 code.
  final String? currency;

  /// Each order counts once.
  final String? orderId;
}
