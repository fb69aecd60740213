import 'dart:typed_data';

/// One HTTP request.
final class HttpRequest {
  const HttpRequest(this.url, this.headers, this.body);

  final String url;
  final Map<String, String> headers;

  /// Sent as JSON by POST; null: GET.
  final String? body;
}

/// A complete response.
final class HttpResponse {
  const HttpResponse(this.status, this.headers, this.body);

  final int status;

  /// Names in lower case.
  final Map<String, String> headers;
  final Uint8List body;
}

/// Sends requests. Replace it to route requests through your own HTTP client.
abstract interface class Transport {
  /// Completes when the whole response is there. Fails with a [TransportTimeout] after [timeoutMs], and
  /// with any other error where there is no complete response.
  Future<HttpResponse> exchange(HttpRequest request, int timeoutMs);

  /// Ends what is on its way.
  void close();
}

/// No complete response within the time limit.
final class TransportTimeout implements Exception {
  const TransportTimeout();
}
