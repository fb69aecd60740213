/// Fields of a response. Where they are absent, or of another type, they are null.
extension JsonFields on Object? {
  Object? member(String name) {
    final value = this;
    return value is Map<String, Object?> ? value[name] : null;
  }

  String? text(String name) {
    final value = member(name);
    return value is String ? value : null;
  }

  int? integer(String name) {
    final value = member(name);
    return value is int ? value : null;
  }

  double? number(String name) {
    final value = member(name);
    return value is num ? value.toDouble() : null;
  }

  bool? flag(String name) {
    final value = member(name);
    return value is bool ? value : null;
  }

  List<Object?> list(String name) {
    final value = member(name);
    return value is List<Object?> ? value : const [];
  }
}
