/// Where unsent events and counts of capped ads are stored: small texts, by name. Its futures may fail;
/// the library then works from memory.
abstract interface class Storage {
  /// Null where there is no such text.
  Future<String?> read(String name);

  /// Replaces the text at once: after a crash there is the old text or the new one.
  Future<void> write(String name, String text);

  Future<void> append(String name, String text);

  Future<void> delete(String name);

  /// Whether the caller now is the only owner of [name], among all processes, until [release].
  Future<bool> acquire(String name);

  Future<void> release(String name);
}

/// For programs that store nothing.
final class MemoryStorage implements Storage {
  final Map<String, String> texts = {};
  final Set<String> _owned = {};

  @override
  Future<String?> read(String name) async => texts[name];

  @override
  Future<void> write(String name, String text) async => texts[name] = text;

  @override
  Future<void> append(String name, String text) async => texts[name] = (texts[name] ?? '') + text;

  @override
  Future<void> delete(String name) async => texts.remove(name);

  @override
  Future<bool> acquire(String name) async => _owned.add(name);

  @override
  Future<void> release(String name) async => _owned.remove(name);
}
