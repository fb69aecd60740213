/// Texts of the library's own views.
package struct Words: Sendable, Equatable {
    package let ad: String
    package let test: String
    package let advertisement: String
    package let more: String
    package let play: String
    package let pause: String
    package let skip: String

    private static let english = Words(
        ad: "Ad", test: "Test ad", advertisement: "Advertisement", more: "Learn more", play: "Play", pause: "Pause",
        skip: "Skip")
    private static let byLanguage = [
        "pt": Words(
            ad: "Anúncio", test: "Anúncio de teste", advertisement: "Anúncio", more: "Saiba mais", play: "Reproduzir",
            pause: "Pausar", skip: "Pular"),
        "es": Words(
            ad: "Anuncio", test: "Anuncio de prueba", advertisement: "Anuncio", more: "Más información",
            play: "Reproducir", pause: "Pausar", skip: "Saltar"),
        "de": Words(
            ad: "Anzeige", test: "Test-Anzeige", advertisement: "Anzeige", more: "Mehr erfahren", play: "Abspielen",
            pause: "Pause", skip: "Überspringen"),
        "fr": Words(
            ad: "Annonce", test: "Annonce de test", advertisement: "Annonce", more: "En savoir plus", play: "Lire",
            pause: "Pause", skip: "Passer"),
    ]

    /// *languages*: as `Locale.preferredLanguages` has them; English where none is known.
    package static func of(_ languages: [String]) -> Words {
        let known = languages.lazy.compactMap {
            byLanguage[String($0.prefix { $0 != "-" })] ?? ($0.hasPrefix("en") ? english : nil)
        }
        return known.first ?? english
    }
}
