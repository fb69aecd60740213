package placard.core

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

/** Events that could not be sent, what sends them, and features that could not be received. */
public class OfflineTest {
    @get:Rule
    public val folder: TemporaryFolder = TemporaryFolder()

    private val scheduler = VirtualScheduler()
    private val sent = mutableListOf<String>()
    private var respond: (HttpRequest) -> HttpResponse = { throw java.io.IOException("offline") }
    private val outcomes = mutableListOf<Any>()

    private fun client(consent: Consent = Consent.UNKNOWN) = PlacardClient(
        Options.Builder("pk_test_x", "https://edge.example")
            .folder(folder.root)
            .consent(consent)
            .transport { request, _ ->
                sent.add(request.url.substringAfter("/v1/").substringBefore('?') + ":" + request.body.orEmpty())
                respond(request)
            }
            .build(),
        scheduler,
    )

    private fun online(batch: List<Int>) {
        respond = { request ->
            val body = when {
                request.url.endsWith("/batch") -> Json.write(mapOf("results" to batch.map { mapOf("status" to it) }))
                else -> ""
            }
            HttpResponse(if (body.isEmpty()) 204 else 200, emptyMap(), body.toByteArray())
        }
    }

    private fun track(client: PlacardClient, vararg tokens: String) {
        for (token in tokens) client.track(token, AdEvent.IMPRESSION) { outcomes.add(it) }
        scheduler.settle { outcomes.size >= tokens.size }
    }

    @Test
    public fun whatCouldNotBeSentIsSentTogetherByTheNextProcess() {
        val first = client()
        track(first, "a", "b")
        assertEquals(listOf<Any>(TrackOutcome.Queued, TrackOutcome.Queued), outcomes)
        first.close()
        scheduler.pass(0)
        sent.clear()
        online(listOf(204, 410))

        val second = client()
        second.flush()
        scheduler.pass(0)
        second.flush()
        scheduler.pass(0)

        assertEquals(
            listOf(
                """track/batch:{"events":[{"token":"a","event":"impression"},{"token":"b","event":"impression"}]}""",
            ),
            sent,
        )
    }

    @Test
    public fun aRequestThatSucceedsSendsWhatWaits() {
        val client = client()
        track(client, "a")
        sent.clear()
        online(listOf(204))
        client.track("b", AdEvent.IMPRESSION)
        scheduler.pass(0)

        assertEquals(2, sent.size)
        assertTrue(sent[1].startsWith("track/batch:") && "\"a\"" in sent[1] && "\"b\"" !in sent[1])
    }

    @Test
    public fun theyAreTriedAgainWithoutARequestOfTheApp() {
        val client = client()
        track(client, "a")
        sent.clear()
        online(listOf(204))
        scheduler.pass(60_000)

        assertEquals(1, sent.size)
    }

    @Test
    public fun anEventTheEdgeCouldNotTakeYetIsKept() {
        val client = client()
        track(client, "a", "b")
        sent.clear()
        online(listOf(503, 204))
        client.flush()
        scheduler.pass(0)
        online(listOf(204))
        scheduler.pass(60_000)

        assertEquals(2, sent.size)
        assertTrue("\"a\"" in sent[1] && "\"b\"" !in sent[1])
    }

    @Test
    public fun anEventThatMakesTheEdgeRefuseABatchIsFoundAndDropped() {
        val client = client()
        track(client, "a", "wrong", "c")
        sent.clear()
        respond = { request ->
            val events = (Json.parse(request.body!!) as Map<*, *>)["events"] as List<*>
            val isRefused = request.body.contains("wrong")
            val body = if (isRefused) """{"error":{"code":"validation_failed","message":""}}"""
            else Json.write(mapOf("results" to events.map { mapOf("status" to 204) }))
            HttpResponse(if (isRefused) 422 else 200, emptyMap(), body.toByteArray())
        }
        client.flush()
        scheduler.pass(0)
        sent.clear()
        client.flush()
        scheduler.pass(0)

        assertEquals(emptyList<String>(), sent)
    }

    @Test
    public fun knownFeaturesStayWhereTheNextOnesCannotBeReceived() {
        val features = """{"ttl_seconds":60,"slots":[{"key":"banner","id":"s","refresh_seconds":45}]}"""
        var isOnline = true
        respond = { request ->
            when {
                !request.url.endsWith("/v1/features") -> HttpResponse(204, emptyMap(), ByteArray(0))
                isOnline -> HttpResponse(200, emptyMap(), features.toByteArray())
                else -> throw java.io.IOException("offline")
            }
        }
        val client = client()
        fun serve(): Int {
            val served = outcomes.size
            client.serve(ServeRequest.Builder("banner").build()) { outcomes.add(it) }
            scheduler.settle { outcomes.size > served }
            assertEquals(45L, client.refreshSeconds("banner"))
            return sent.count { it == "features:" }
        }

        assertEquals(1, serve())
        isOnline = false
        scheduler.pass(60_000)
        assertEquals(2, serve())
        isOnline = true
        scheduler.pass(29_999)
        assertEquals(2, serve())
        scheduler.pass(1)
        assertEquals(3, serve())
    }

    @Test
    public fun whereStorageIsRefusedNothingIsWritten() {
        online(emptyList())
        val client = client(Consent.Builder().storage(false).build())
        client.serve(ServeRequest.Builder("banner").build()) { outcomes.add(it) }
        scheduler.settle { outcomes.size == 1 }
        respond = { throw java.io.IOException("offline") }
        track(client, "a", "b")

        assertTrue(folder.root.walk().none { it.name.endsWith(".jsonl") || it.name == "seen.json" })
    }
}
