package placard.core

import java.io.File
import java.util.concurrent.ArrayBlockingQueue
import java.util.concurrent.TimeUnit

/**
 * The library in a process of its own, for tests against a real edge: reads a command a line from standard input, as JSON,
 * and prints its result as a line of JSON.
 *
 * - `open` with `edge_url`, `key`, `folder`, `consent`: a client; there is none before
 * - `serve` with `slot`: its outcome; a filled one begins a showing
 * - `impression`, `click`: of the showing; `click` prints the URL to open
 * - `track` with `token`, `event`
 * - `flush`, `close`
 */
public fun main() {
    val journey = Journey()
    generateSequence(::readLine).forEach { line ->
        println(Json.write(journey.perform(ContractCases.fields(Json.parse(line)))))
    }
}

private class Journey {
    private lateinit var client: PlacardClient
    private var session: AdSession? = null

    fun perform(command: Map<String, Any?>): Map<String, Any?> = when (command["do"]) {
        "open" -> open(command)
        "serve" -> written(await { client.serve(ServeRequest.Builder(command["slot"] as String).build(), it) })
        "impression" -> mapOf("recorded" to session?.recordImpression())
        "click" -> mapOf("url" to session?.recordClick())
        "track" -> {
            val event = AdEvent.entries.single { it.wire == command["event"] }
            written(await { client.track(command["token"] as String, event, null, it) })
        }
        "flush" -> mapOf("flushed" to client.flush().let { true })
        "close" -> mapOf("closed" to client.close().let { true })
        else -> mapOf("unknown" to command["do"].toString())
    }

    private fun open(command: Map<String, Any?>): Map<String, Any?> {
        val options = Options.Builder(command["key"] as String, command["edge_url"] as String)
            .folder(File(command["folder"] as String))
            .consent(ScriptedEdge.consentOf(ContractCases.fields(command["consent"])))
            // That of a phone: the JVM's own is that of a robot.
            .userAgent("Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP2A.240805.005)")
            .build()
        client = PlacardClient(options)
        return mapOf("key" to options.shortKey)
    }

    private fun <T : Any> await(call: (Callback<T>) -> Unit): T {
        val results = ArrayBlockingQueue<T>(1)
        call(Callback(results::put))
        return checkNotNull(results.poll(60, TimeUnit.SECONDS)) { "No result within a minute." }
    }

    private fun written(outcome: Any): Map<String, Any?> = when (outcome) {
        is ServeOutcome.Filled -> {
            session = client.session(outcome.ad)
            mapOf("status" to "filled", "token" to outcome.ad.trackToken, "format" to outcome.ad.format)
        }
        is ServeOutcome.NoFill -> mapOf("status" to "no_fill", "reason" to outcome.reason)
        is ServeOutcome.Failed -> failed(outcome.error)
        is TrackOutcome.Failed -> failed(outcome.error)
        is TrackOutcome.Queued -> mapOf("status" to "queued")
        else -> mapOf("status" to "counted")
    }

    private fun failed(error: PlacardError) =
        mapOf("status" to "error", "code" to error.code, "http" to error.status, "request_id" to error.requestId)
}
