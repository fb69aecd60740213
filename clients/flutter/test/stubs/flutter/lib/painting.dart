export 'src.dart' show ResizeImage, ResizeImagePolicy;
