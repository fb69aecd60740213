package placard.core

import java.io.IOException
import java.net.SocketTimeoutException
import java.net.URL
import java.net.URLDecoder

/**
 * An edge that responds as one case says, and writes down each request. [answers]: for each last segment of a path, the
 * names of the responses in sequence; the last one repeats. Other URLs have [others] as their response.
 */
public class ScriptedEdge(
    answers: Map<String, Any?>,
    private val nowMs: () -> Long,
    private val others: (String) -> ByteArray = { ByteArray(0) },
) : Transport {
    public val requests: MutableList<Map<String, Any?>> = mutableListOf()
    public val headers: MutableList<Map<String, String>> = mutableListOf()
    private val queues = answers.mapValues { (_, names) -> ArrayDeque((names as List<*>).map { it as String }) }

    @Synchronized
    override fun exchange(request: HttpRequest, timeoutMs: Long): HttpResponse {
        val url = URL(request.url)
        if (url.host != EDGE_HOST) {
            requests.add(mapOf("method" to "GET", "url" to request.url))
            return HttpResponse(200, emptyMap(), others(request.url))
        }
        headers.add(request.headers)
        val written = linkedMapOf<String, Any?>(
            "at_ms" to nowMs(),
            "method" to if (request.body == null) "GET" else "POST",
            "path" to url.path,
            "query" to queryOf(url),
        )
        request.body?.let { written["body"] = Json.parse(it) }
        requests.add(written)
        val queue = checkNotNull(queues[url.path.substringAfterLast('/')]) { "Unexpected: ${request.url}" }
        return response(if (queue.size > 1) queue.removeFirst() else queue.first())
    }

    private fun response(name: String): HttpResponse {
        val answer = ContractCases.fields(ContractCases.answers[name])
        when (answer["fault"]) {
            "timeout" -> throw SocketTimeoutException("timeout")
            "network", "cut" -> throw IOException("connection lost")
        }
        val body = answer["text"] as String? ?: answer["body"]?.let(Json::write) ?: ""
        val headers = (answer["headers"] as Map<*, *>? ?: emptyMap<String, String>()).entries
            .associate { (name, value) -> name.toString().lowercase() to value.toString() }
        return HttpResponse((answer["status"] as Long).toInt(), headers, body.toByteArray())
    }

    private fun queryOf(url: URL): Map<String, Any?> {
        val found = linkedMapOf<String, MutableList<String>>()
        for (pair in url.query.orEmpty().split('&').filter(String::isNotEmpty)) {
            val (name, value) = pair.split('=').map { URLDecoder.decode(it, "UTF-8") }
            found.getOrPut(name) { mutableListOf() }.add(value)
        }
        return found.mapValues { (_, values) -> values.singleOrNull() ?: values }
    }

    public companion object {
        public const val EDGE_HOST: String = "edge.example"

        /** Consent as a case gives it. */
        public fun consentOf(given: Map<String, Any?>): Consent = Consent.Builder()
            .gdpr(given["gdpr"] as Boolean?)
            .gdprConsent(given["gdpr_consent"] as String?)
            .gpp(given["gpp"] as String?)
            .gppSid(given["gpp_sid"] as String?)
            .usPrivacy(given["us_privacy"] as String?)
            .coppa(given["coppa"] as Boolean?)
            .lgpd(given["lgpd"] as? Boolean)
            .lgpdConsent(given["lgpd"] as? String)
            .nonPersonalized(given["npa"] as Boolean?)
            .storage(given["storage"] as Boolean?)
            .build()
    }
}
