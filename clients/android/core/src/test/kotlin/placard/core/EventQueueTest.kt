package placard.core

import java.io.File
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

public class EventQueueTest {
    @get:Rule
    public val folder: TemporaryFolder = TemporaryFolder()

    private val scheduler = VirtualScheduler()
    private val file get() = File(folder.root, "events.jsonl")

    private fun open() = EventQueue(folder.root, scheduler).apply { open() }

    private fun EventQueue.tokens() = batch(1000).map { it.body["token"] }

    @Test
    public fun eventsSurviveTheProcess() {
        val first = open()
        first.add(mapOf("token" to "a"))
        val second = first.add(mapOf("token" to "b"))
        first.remove(second)
        first.close()

        assertEquals(listOf("a"), open().tokens())
    }

    @Test
    public fun aLineThatWasTornIsLeftOutAndTheNextIsWhole() {
        open().apply { add(mapOf("token" to "a")) }.close()
        file.appendText("""{"id":99,"at":18000""")
        open().apply { add(mapOf("token" to "b")) }.close()

        assertEquals(listOf("a", "b"), open().tokens())
    }

    @Test
    public fun theOldestGiveWayToTheNewest() {
        val queue = open()
        repeat(EventQueue.MAX_EVENTS + 2) { queue.add(mapOf("token" to "t$it")) }
        queue.close()

        val again = open()
        assertEquals(EventQueue.MAX_EVENTS, again.size)
        assertEquals("t2", again.batch(1).single().body["token"])
    }

    @Test
    public fun theFileStaysSmallHoweverManyAreSent() {
        val queue = open()
        repeat(5000) { queue.remove(queue.add(mapOf("token" to "t$it"))) }

        assertTrue(file.length() < 100_000)
        assertEquals(0, queue.size)
    }

    @Test
    public fun eventsWhoseTokenHasExpiredAreDropped() {
        val queue = open()
        queue.add(mapOf("token" to "old"))
        scheduler.pass(EventQueue.MAX_AGE_MS)
        queue.add(mapOf("token" to "new"))
        scheduler.pass(1)

        assertEquals(listOf("new"), queue.tokens())
    }

    @Test
    public fun aBatchFitsOneRequest() {
        val queue = open()
        repeat(50) { queue.add(mapOf("token" to "x".repeat(1000))) }

        assertTrue(Json.write(mapOf("events" to queue.batch(50).map { it.body })).length <= 16_384)
    }

    @Test
    public fun theFileBelongsToOneClient() {
        val first = open()
        val second = open()
        first.add(mapOf("token" to "a"))
        second.add(mapOf("token" to "b"))
        first.close()
        second.close()

        assertEquals(listOf("a"), open().tokens())
    }

    @Test
    public fun whereStorageIsRefusedTheFileIsDeletedAndMemoryRemains() {
        val queue = open()
        queue.add(mapOf("token" to "a"))
        queue.isOnDisk = false

        assertFalse(file.exists())
        assertEquals(listOf("a"), queue.tokens())
        queue.isOnDisk = true
        assertTrue(file.readText().contains("\"a\""))
    }

    @Test
    public fun aDiskThatFailsLeavesMemory() {
        val taken = folder.newFile("taken")
        val queue = EventQueue(File(taken, "no-folder"), scheduler).apply { open() }
        queue.add(mapOf("token" to "a"))

        assertEquals(listOf("a"), queue.tokens())
    }
}
