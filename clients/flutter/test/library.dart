// What the library does beyond the conformance cases. Prints a line of JSON for each test: its name, and
// what is wrong, or null.

import 'dart:convert';

import 'support/files.dart';
import 'support/offline.dart';
import 'support/rules.dart';

Future<void> main() async {
  final tests = {...ruleTests, ...offlineTests, ...fileTests};
  for (final MapEntry(key: name, value: test) in tests.entries) {
    Object? fault;
    try {
      await test();
    } catch (found, trace) {
      fault = '$found\n$trace';
    }
    print(jsonEncode({'name': name, 'fault': fault}));
  }
}
