import 'package:flutter/foundation.dart';
import 'package:flutter/widgets.dart';

import 'words.dart';

/// Says that an ad is one; in the test environment, that it is a test.
final class AdLabel extends StatelessWidget {
  const AdLabel({super.key, required this.isTest});

  /// Dark orange: white on it has a contrast of 5.6.
  static const Color _testColour = Color(0xFFA64500);
  static const Color _white = Color(0xFFFFFFFF);
  static const Color _black = Color(0xFF000000);

  final bool isTest;

  @override
  Widget build(BuildContext context) {
    final words = Words.of(context);
    return IgnorePointer(
      child: ColoredBox(
        color: isTest ? _testColour : _white,
        child: Padding(
          padding: const EdgeInsets.symmetric(horizontal: 4),
          child: Text(
            isTest ? words.test : words.ad,
            style: TextStyle(fontSize: 10, color: isTest ? _white : _black),
          ),
        ),
      ),
    );
  }
}

/// The results of a widget's requests: nothing of the user, and of the key no more than its kind and end.
final class DebugOverlay extends StatelessWidget {
  const DebugOverlay({super.key, required this.notes});

  final ValueListenable<String> notes;

  @override
  Widget build(BuildContext context) => IgnorePointer(
    child: ExcludeSemantics(
      child: ColoredBox(
        color: const Color(0xCC111111),
        child: ValueListenableBuilder<String>(
          valueListenable: notes,
          builder:
              (context, text, child) => Text(
                text,
                style: const TextStyle(
                  fontSize: 10,
                  fontFamily: 'monospace',
                  color: Color(0xFFFFFFFF),
                ),
              ),
        ),
      ),
    ),
  );
}
