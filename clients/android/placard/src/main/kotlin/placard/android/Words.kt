package placard.android

import java.util.Locale

/** Texts of the library's own, in code: so the archive has no resources that could collide with an app's. */
internal class Words private constructor(
    val ad: String,
    val test: String,
    val advertisement: String,
    val more: String,
    val play: String,
    val pause: String,
    val skip: String,
) {
    companion object {
        private val ENGLISH = Words("Ad", "Test ad", "Advertisement", "Learn more", "Play", "Pause", "Skip")
        private val BY_LANGUAGE = mapOf(
            "pt" to Words("Anúncio", "Anúncio de teste", "Anúncio", "Saiba mais", "Reproduzir", "Pausar", "Pular"),
            "es" to Words("Anuncio", "Anuncio de prueba", "Anuncio", "Más información", "Reproducir", "Pausar", "Saltar"),
            "de" to Words("Anzeige", "Test-Anzeige", "Anzeige", "Mehr erfahren", "Abspielen", "Pause", "Überspringen"),
            "fr" to Words("Annonce", "Annonce de test", "Annonce", "En savoir plus", "Lire", "Pause", "Passer"),
        )

        fun of(locale: Locale): Words = BY_LANGUAGE[locale.language] ?: ENGLISH
    }
}
