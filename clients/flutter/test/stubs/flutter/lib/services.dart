export 'src.dart' show Brightness;
