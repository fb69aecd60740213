package placard.core

import java.io.File
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.junit.runners.Parameterized
import placard.core.ContractCases.fields

/** Each conformance case that needs no view, on a clock that passes at once. */
@RunWith(Parameterized::class)
public class ContractTest(@Suppress("unused") private val name: String, private val case: Map<String, Any?>) {
    @get:Rule
    public val folder: TemporaryFolder = TemporaryFolder()

    private val given = fields(case["given"])
    private val scheduler = VirtualScheduler((given["random"] as Number?)?.toDouble() ?: 0.5)
    private val edge = ScriptedEdge(fields(case["answers"]), scheduler::nowMs)

    @Test
    public fun holds() {
        val seen = File(folder.root, "test/seen.json")
        given["seen"]?.let { store(seen, fields(it)) }
        val options = Options.Builder(given["publisher_key"] as String, given["edge_url"] as String)
            .consent(ScriptedEdge.consentOf(fields(given["consent"])))
            .folder(folder.root)
            .transport(edge)
            .build()
        val outcomes = perform(PlacardClient(options, scheduler), (case["do"] as List<*>).map(::fields))

        val expect = fields(case["expect"])
        assertEquals(expect["requests"], edge.requests)
        val expected = (expect["outcomes"] as List<*>).map(::fields)
        assertEquals(expected.size, outcomes.size)
        expected.zip(outcomes).forEach { (wanted, outcome) -> check(wanted, outcome) }
        for (headers in edge.headers) {
            assertEquals(given["publisher_key"], headers["X-Service-Key"])
            assertEquals("android/${PlacardClient.VERSION}", headers["X-Placard-Client"])
        }
        if (fields(given["consent"])["storage"] == false) assertFalse(seen.exists())
    }

    private fun perform(client: PlacardClient, steps: List<Map<String, Any?>>): List<Any> {
        val outcomes = arrayOfNulls<Any>(steps.size)
        val isTogether = steps.any { "at_ms" in it }
        steps.forEachIndexed { index, step ->
            val act = { start(client, step) { outcomes[index] = it } }
            when {
                step["call"] == "wait" -> {
                    scheduler.pass(step["ms"] as Long)
                    outcomes[index] = Unit
                }
                "at_ms" in step -> scheduler.runAfter(step["at_ms"] as Long, act)
                else -> act()
            }
            if (!isTogether) scheduler.settle { outcomes[index] != null }
        }
        scheduler.settle { outcomes.all { it != null } }
        return outcomes.filterNotNull().filter { it != Unit }
    }

    private fun start(client: PlacardClient, step: Map<String, Any?>, done: (Any) -> Unit) {
        if (step["call"] == "serve") return client.serve(requestOf(fields(step["request"])), done)
        val conversion = step["conversion"]?.let(::fields)?.let {
            Conversion(it["value_cents"] as Long?, it["currency"] as String?, it["order_id"] as String?)
        }
        val event = AdEvent.entries.single { it.wire == step["event"] }
        client.track(step["token"] as String, event, conversion, done)
    }

    private fun check(wanted: Map<String, Any?>, outcome: Any) {
        val error = wanted["error"]?.let(::fields)
        when (wanted["status"]) {
            "filled" -> assertTrue((outcome as ServeOutcome.Filled).ad.trackToken.isNotEmpty())
            "no_fill" -> assertEquals(wanted["reason"], (outcome as ServeOutcome.NoFill).reason)
            "counted" -> assertEquals(TrackOutcome.Counted, outcome)
            else -> {
                val found = (outcome as? ServeOutcome.Failed)?.error ?: (outcome as TrackOutcome.Failed).error
                assertEquals(error?.get("code"), found.code)
                if (error != null && "status" in error) assertEquals(error["status"], found.status?.toLong())
            }
        }
    }

    private fun store(file: File, seen: Map<String, Any?>) {
        file.parentFile.mkdirs()
        val ends = seen.mapValues { (_, after) -> (after as List<*>).map { VirtualScheduler.START_MS + (it as Long) * 1000 } }
        file.writeText(Json.write(ends))
    }

    public companion object {
        @JvmStatic
        @Parameterized.Parameters(name = "{0}")
        public fun cases(): List<Array<Any>> =
            listOf("requests", "outcomes", "retries", "tokens").flatMap(ContractCases::of)

        public fun requestOf(request: Map<String, Any?>): ServeRequest {
            val builder = ServeRequest.Builder(request["slot"] as String)
                .format(request["format"] as String?)
                .size((request["width"] as Long?)?.toInt(), (request["height"] as Long?)?.toInt())
                .uid(request["uid"] as String?)
                .languages(request["lang"] as String?)
            (request["keywords"] as List<*>?)?.let { builder.keywords(it.map(Any?::toString)) }
            (request["key_values"] as Map<*, *>?)?.forEach { (name, values) ->
                val list = values as? List<*> ?: listOf(values)
                builder.keyValue(name.toString(), *list.map { it.toString() }.toTypedArray())
            }
            return builder.build()
        }
    }
}
