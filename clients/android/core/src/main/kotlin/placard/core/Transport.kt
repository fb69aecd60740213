package placard.core

import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.SocketTimeoutException
import java.net.URL

/** One HTTP request. [body]: sent as JSON by POST; null: GET. */
public class HttpRequest(public val url: String, public val headers: Map<String, String>, public val body: String?)

/** A complete response. [headers]: names in lower case. */
public class HttpResponse(public val status: Int, public val headers: Map<String, String>, public val body: ByteArray)

/** Sends requests. Replace it to route requests through your own HTTP client. */
public fun interface Transport {
    /**
     * Blocks until the whole response is there. Called on a background thread.
     *
     * Throws [SocketTimeoutException] after [timeoutMs], and [IOException] where there is no complete response.
     */
    public fun exchange(request: HttpRequest, timeoutMs: Long): HttpResponse
}

/** By the platform's own client. Sends no cookies of its own, follows no redirects, caches nothing. */
internal class UrlConnectionTransport : Transport {
    override fun exchange(request: HttpRequest, timeoutMs: Long): HttpResponse {
        val endNs = System.nanoTime() + timeoutMs * 1_000_000
        val connection = URL(request.url).openConnection() as HttpURLConnection
        try {
            connection.connectTimeout = timeoutMs.toInt()
            connection.readTimeout = timeoutMs.toInt()
            connection.instanceFollowRedirects = false
            connection.useCaches = false
            for ((name, value) in request.headers) connection.setRequestProperty(name, value)
            request.body?.let { send(connection, it.toByteArray()) }
            val status = connection.responseCode
            // -1: what came is not HTTP.
            if (status < 0) throw IOException("The response is not HTTP.")
            val stream = if (status < 400) connection.inputStream else connection.errorStream
            val body = stream?.use { read(it, endNs) } ?: ByteArray(0)
            return HttpResponse(status, headersOf(connection), body)
        } finally {
            connection.disconnect()
        }
    }

    private fun send(connection: HttpURLConnection, body: ByteArray) {
        connection.requestMethod = "POST"
        connection.doOutput = true
        connection.setRequestProperty("Content-Type", "application/json")
        connection.setFixedLengthStreamingMode(body.size)
        connection.outputStream.use { it.write(body) }
    }

    private fun read(stream: InputStream, endNs: Long): ByteArray {
        val found = ByteArrayOutputStream()
        val chunk = ByteArray(8192)
        while (true) {
            val count = stream.read(chunk)
            if (count < 0) return found.toByteArray()
            found.write(chunk, 0, count)
            if (found.size() > MAX_BYTES) throw IOException("The response has more than $MAX_BYTES bytes.")
            if (System.nanoTime() > endNs) throw SocketTimeoutException("The response took too long.")
        }
    }

    private fun headersOf(connection: HttpURLConnection): Map<String, String> {
        val found = HashMap<String, String>()
        for ((name, values) in connection.headerFields) if (name != null) found[name.lowercase()] = values.last()
        return found
    }

    private companion object {
        /** Pictures of ads come this way too. */
        private const val MAX_BYTES = 8 shl 20
    }
}
