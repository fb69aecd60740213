/// Ads without widgets: requests, events and consent, for any Dart program.
library;

export 'src/core/ad.dart';
export 'src/core/ad_session.dart';
export 'src/core/client.dart' show PlacardClient;
export 'src/core/consent.dart' show Consent, ConsentSource;
export 'src/core/log.dart';
export 'src/core/options.dart';
export 'src/core/outcomes.dart';
export 'src/core/presenter.dart' show AdCallbacks;
export 'src/core/serve_request.dart' show ServeRequest;
export 'src/core/storage.dart';
export 'src/core/transport.dart';
export 'src/core/viewable.dart' show Playback, RefreshClock, ViewClock;
