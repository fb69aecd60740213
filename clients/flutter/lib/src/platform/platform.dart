/// What differs between devices and browsers.
library;

export 'platform_io.dart' if (dart.library.js_interop) 'platform_web.dart';
