package placard.android

/** Calls here need this Android API level and are made at or above it only; the build's check of API 23 passes over them. */
@Retention(AnnotationRetention.BINARY)
@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION)
internal annotation class SinceApi(val level: Int)
