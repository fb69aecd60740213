import 'dart:convert';
import 'dart:io' as io;

typedef Json = Map<String, Object?>;

/// The conformance cases that all client libraries run, as their files have them.
final class Cases {
  Cases(this._folder);

  final String _folder;
  late final Json answers = _read('answers');

  /// Those of one file, by its name without the ending.
  List<Json> of(String file) => fieldsOf(_read(file)['cases']);

  Json _read(String name) =>
      jsonDecode(io.File('$_folder/$name.json').readAsStringSync()) as Json;
}

Json fields(Object? value) => value! as Json;

List<Json> fieldsOf(Object? values) => (values! as List<Object?>).cast<Json>();

/// Throws [StateError] where [found] is not [wanted]; both are JSON.
void expectSame(Object? found, Object? wanted, String what) {
  final left = jsonEncode(_sorted(found));
  final right = jsonEncode(_sorted(wanted));
  if (left != right) throw StateError('$what: $left, not $right');
}

Object? _sorted(Object? value) => switch (value) {
  final Map<String, Object?> map => {
    for (final name in map.keys.toList()..sort()) name: _sorted(map[name]),
  },
  final List<Object?> list => list.map(_sorted).toList(),
  _ => value,
};
