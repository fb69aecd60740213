// Names and signatures of plugins that the README's examples use: url_launcher, webview_flutter,
// video_player, shared_preferences.

import 'package:flutter/widgets.dart';

Never _stub() => throw UnsupportedError('This is a stub.');

enum LaunchMode { platformDefault, inAppWebView, externalApplication }

Future<bool> launchUrl(Uri url, {LaunchMode mode = LaunchMode.platformDefault}) => _stub();

enum JavaScriptMode { disabled, unrestricted }

enum NavigationDecision { prevent, navigate }

class NavigationRequest {
  String get url => _stub();
  bool get isMainFrame => _stub();
}

class WebResourceError {
  bool? get isForMainFrame => _stub();
}

class NavigationDelegate {
  NavigationDelegate({
    NavigationDecision Function(NavigationRequest request)? onNavigationRequest,
    void Function(String url)? onPageFinished,
    void Function(WebResourceError error)? onWebResourceError,
  });
}

class WebViewController {
  Future<void> setJavaScriptMode(JavaScriptMode javaScriptMode) => _stub();
  Future<void> setNavigationDelegate(NavigationDelegate delegate) => _stub();
  Future<void> loadHtmlString(String html, {String? baseUrl}) => _stub();
}

class WebViewWidget extends Widget {
  const WebViewWidget({super.key, required WebViewController controller});
}

class VideoPlayerValue {
  Duration get position => _stub();
  Duration get duration => _stub();
  bool get isInitialized => _stub();
  bool get isCompleted => _stub();
  bool get hasError => _stub();
}

class VideoPlayerController {
  VideoPlayerController.networkUrl(Uri url);
  VideoPlayerValue get value => _stub();
  Future<void> initialize() => _stub();
  Future<void> play() => _stub();
  Future<void> pause() => _stub();
  Future<void> dispose() => _stub();
}

class VideoPlayer extends Widget {
  const VideoPlayer(VideoPlayerController controller, {super.key});
}

class SharedPreferencesAsync {
  Future<Map<String, Object?>> getAll({Set<String>? allowList}) => _stub();
}
