export 'src.dart' show Listenable, ValueListenable, ValueNotifier, VoidCallback;
