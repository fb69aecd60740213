/// Ads in Flutter: a widget for a slot, or the data for widgets of your own.
library;

export 'core.dart';
export 'src/widgets/ad_binding.dart' show AdBinding;
export 'src/widgets/ad_view.dart' show AdView;
export 'src/widgets/placard.dart' show Placard;
export 'src/widgets/seams.dart';
