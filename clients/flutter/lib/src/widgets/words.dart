import 'package:flutter/services.dart' show Brightness;
import 'package:flutter/widgets.dart';

/// Texts of the library's own.
final class Words {
  const Words._(this.ad, this.test, this.advertisement, this.more, this.play, this.pause, this.skip);

  static const Words _english = Words._(
    'Ad', 'Test ad', 'Advertisement', 'Learn more', 'Play', 'Pause', 'Skip', //
  );
  static const Map<String, Words> _byLanguage = {
    'pt': Words._(
      'Anúncio', 'Anúncio de teste', 'Anúncio', 'Saiba mais', 'Reproduzir', 'Pausar', 'Pular', //
    ),
    'es': Words._(
      'Anuncio', 'Anuncio de prueba', 'Anuncio', 'Más información', 'Reproducir', 'Pausar', 'Saltar', //
    ),
    'de': Words._(
      'Anzeige', 'Test-Anzeige', 'Anzeige', 'Mehr erfahren', 'Abspielen', 'Pause', 'Überspringen', //
    ),
    'fr': Words._(
      'Annonce', 'Annonce de test', 'Annonce', 'En savoir plus', 'Lire', 'Pause', 'Passer', //
    ),
  };

  static Words of(BuildContext context) =>
      _byLanguage[Localizations.maybeLocaleOf(context)?.languageCode] ?? _english;

  final String ad;
  final String test;
  final String advertisement;
  final String more;
  final String play;
  final String pause;
  final String skip;
}

/// The app's own, so that it follows light and dark mode.
Color textColour(BuildContext context) {
  final isDark = MediaQuery.platformBrightnessOf(context) == Brightness.dark;
  final usual = isDark ? const Color(0xFFFFFFFF) : const Color(0xFF000000);
  return DefaultTextStyle.of(context).style.color ?? usual;
}
