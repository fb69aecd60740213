package placard.core

import java.io.IOException
import java.net.SocketTimeoutException

/** The result of a request: [error], or else the [body] of a 2xx response (null: it had none). */
internal class Answer(val error: PlacardError?, val body: Any?, val reason: String?)

/**
 * Sends requests of one key to one edge. Retries after 429, 5xx and where there was no response: after `base_ms`, doubled
 * each time, times 0.5 to 1.5 by chance, and not before `Retry-After`. After a 429, no request is sent before its pause is
 * over. Used on the client's own thread only.
 */
internal class Connection(private val options: Options, private val scheduler: Scheduler) {
    @Volatile
    var features = Features(null)
    private var heldUntilMs = Long.MIN_VALUE

    fun get(path: String, maxRetries: Int? = null, done: (Answer) -> Unit): Unit = attempt(path, null, 0, maxRetries, done)

    fun post(path: String, body: Map<String, Any?>, maxRetries: Int? = null, done: (Answer) -> Unit): Unit =
        attempt(path, Json.write(body), 0, maxRetries, done)

    /** For URLs of advertisers: one request, whose result is passed to [done] where it is wanted. */
    fun load(url: String, done: ((HttpResponse?) -> Unit)? = null) {
        val request = HttpRequest(url, agent(), null)
        scheduler.runBlocking {
            val response = try {
                options.transport.exchange(request, LOAD_TIMEOUT_MS)
            } catch (_: IOException) {
                null
            } catch (fault: RuntimeException) {
                Log.report(fault)
                null
            }
            done?.invoke(response)
        }
    }

    private fun attempt(path: String, body: String?, tried: Int, maxRetries: Int?, done: (Answer) -> Unit) {
        val heldMs = heldUntilMs - scheduler.nowMs()
        if (heldUntilMs != Long.MIN_VALUE && heldMs > 0) {
            return scheduler.runAfter(heldMs) { attempt(path, body, tried, maxRetries, done) }
        }
        val request = HttpRequest("${options.edgeUrl}/v1/$path", headers(), body)
        val timeoutMs = features.timeoutMs
        scheduler.runBlocking {
            val attempt = exchange(request, timeoutMs)
            scheduler.run {
                val pauseMs = pauseMs(attempt, tried)
                val error = attempt.answer.error
                when {
                    error == null || !isRetryable(attempt.status) -> done(attempt.answer)
                    tried >= (maxRetries ?: features.maxRetries) || pauseMs > MAX_PAUSE_MS -> done(attempt.answer)
                    // The pause is in `heldUntilMs`, for all requests.
                    attempt.status == 429 -> attempt(path, body, tried + 1, maxRetries, done)
                    else -> scheduler.runAfter(pauseMs) { attempt(path, body, tried + 1, maxRetries, done) }
                }
            }
        }
    }

    private class Attempt(val status: Int?, val retryAfterMs: Long, val answer: Answer)

    private fun pauseMs(attempt: Attempt, tried: Int): Long {
        val ownMs = features.retryBaseMs * Math.pow(2.0, tried.toDouble()) * (0.5 + scheduler.random())
        val pauseMs = maxOf(attempt.retryAfterMs, Math.round(ownMs))
        if (attempt.status == 429) heldUntilMs = scheduler.nowMs() + minOf(pauseMs, MAX_PAUSE_MS)
        return pauseMs
    }

    private fun exchange(request: HttpRequest, timeoutMs: Long): Attempt = try {
        parse(options.transport.exchange(request, timeoutMs))
    } catch (fault: SocketTimeoutException) {
        failed("timeout", "The edge did not respond within $timeoutMs ms.")
    } catch (fault: Exception) {
        failed("network", "The edge could not be reached: ${fault.message}. Check the connection and the edge URL.")
    }

    private fun parse(response: HttpResponse): Attempt {
        val retryAfterMs = (response.headers["retry-after"]?.toLongOrNull() ?: 0).coerceIn(0, 86_400) * 1000
        val body = try {
            if (response.body.isEmpty()) null else Json.parse(String(response.body, Charsets.UTF_8))
        } catch (fault: IllegalArgumentException) {
            return invalid(response, retryAfterMs, fault.message.orEmpty())
        }
        if (response.status in 200..299) {
            return Attempt(response.status, retryAfterMs, Answer(null, body, response.headers["x-no-fill-reason"]))
        }
        val error = body.member("error")
        val code = error.text("code") ?: return invalid(response, retryAfterMs, "It has no error code.")
        val found = PlacardError(code, error.text("message").orEmpty(), response.status, error.text("request_id"))
        return Attempt(response.status, retryAfterMs, Answer(found, null, null))
    }

    /** The response is not the edge's: a proxy's, or that of a captive portal. */
    private fun invalid(response: HttpResponse, retryAfterMs: Long, reason: String): Attempt {
        val message = "The response is not an edge's: $reason Check the edge URL."
        val error = PlacardError("invalid_response", message, response.status)
        return Attempt(response.status, retryAfterMs, Answer(error, null, null))
    }

    private fun failed(code: String, message: String) = Attempt(null, 0, Answer(PlacardError(code, message), null, null))

    private fun headers(): Map<String, String> {
        val headers = LinkedHashMap<String, String>()
        headers["X-Service-Key"] = options.publisherKey
        headers["X-Placard-Client"] = "${Features.LIBRARY}/${Features.VERSION}"
        options.languages?.let { headers["Accept-Language"] = it }
        headers.putAll(agent())
        return headers
    }

    private fun agent(): Map<String, String> = options.userAgent?.let { mapOf("User-Agent" to it) } ?: emptyMap()

    companion object {
        /** Longer than this nobody waits for an ad. */
        private const val MAX_PAUSE_MS = 60_000L
        private const val LOAD_TIMEOUT_MS = 10_000L

        fun isRetryable(status: Int?): Boolean = status == null || status == 429 || status >= 500
    }
}
