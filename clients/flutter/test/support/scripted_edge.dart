import 'dart:convert';
import 'dart:typed_data';

import 'package:placard/core.dart';

import 'cases.dart';

/// An edge that responds as one case says, and writes down each request. [_names]: for each last segment
/// of a path, the names of the responses in sequence; the last one repeats.
final class ScriptedEdge implements Transport {
  ScriptedEdge(this._answers, Json names, this._nowMs)
    : _names = names.map((path, list) => MapEntry(path, (list! as List<Object?>).cast<String>()));

  static const String host = 'edge.example';

  final Json _answers;
  final Map<String, List<String>> _names;
  final int Function() _nowMs;
  final List<Json> requests = [];
  final List<Map<String, String>> headers = [];

  @override
  Future<HttpResponse> exchange(HttpRequest request, int timeoutMs) async {
    final url = Uri.parse(request.url);
    if (url.host != host) {
      requests.add({'method': 'GET', 'url': request.url});
      return HttpResponse(200, const {}, Uint8List.fromList([1]));
    }
    headers.add(request.headers);
    requests.add({
      'at_ms': _nowMs(),
      'method': request.body == null ? 'GET' : 'POST',
      'path': url.path,
      'query': url.queryParametersAll.map(
        (name, values) => MapEntry(name, values.length == 1 ? values.single : values),
      ),
      if (request.body case final body?) 'body': jsonDecode(body),
    });
    final queue = _names[url.pathSegments.last];
    if (queue == null) throw StateError('Unexpected: ${request.url}');
    return _response(queue.length > 1 ? queue.removeAt(0) : queue.first);
  }

  @override
  void close() {}

  HttpResponse _response(String name) {
    final answer = fields(_answers[name]);
    if (answer['fault'] == 'timeout') throw const TransportTimeout();
    if (answer['fault'] != null) throw StateError('connection lost');
    final body = answer['body'];
    final text = answer['text'] as String? ?? (body == null ? '' : jsonEncode(body));
    final headers = (answer['headers'] as Json? ?? const {}).map(
      (name, value) => MapEntry(name.toLowerCase(), '$value'),
    );
    return HttpResponse(answer['status']! as int, headers, utf8.encode(text));
  }
}

/// Consent as a case gives it.
Consent consentOf(Json given) => Consent(
  gdpr: given['gdpr'] as bool?,
  gdprConsent: given['gdpr_consent'] as String?,
  gpp: given['gpp'] as String?,
  gppSid: given['gpp_sid'] as String?,
  usPrivacy: given['us_privacy'] as String?,
  coppa: given['coppa'] as bool?,
  lgpd: given['lgpd'] is bool ? given['lgpd']! as bool : null,
  lgpdConsent: given['lgpd'] is String ? given['lgpd']! as String : null,
  nonPersonalized: given['npa'] as bool?,
  storage: given['storage'] as bool?,
);

ServeRequest requestOf(Json request) => ServeRequest(
  request['slot']! as String,
  format: request['format'] as String?,
  width: request['width'] as int?,
  height: request['height'] as int?,
  uid: request['uid'] as String?,
  languages: request['lang'] as String?,
  keywords: (request['keywords'] as List<Object?>? ?? const []).cast<String>(),
  keyValues: (request['key_values'] as Json? ?? const {}).map(
    (name, values) => MapEntry(name, values is List<Object?> ? values.cast() : ['$values']),
  ),
);
