package placard.core

import java.util.PriorityQueue

/** Time that passes only while somebody waits: every task runs on the caller's thread, in order of its time. */
internal class VirtualScheduler(private val chance: Double = 0.5) : Scheduler {
    private class Task(val atMs: Long, val number: Int, val run: () -> Unit)

    private val tasks = PriorityQueue<Task>(compareBy({ it.atMs }, { it.number }))
    private var number = 0
    private var now = 0L

    override fun nowMs(): Long = now

    override fun wallMs(): Long = START_MS + now

    override fun random(): Double = chance

    override fun run(task: () -> Unit): Unit = runAfter(0, task)

    override fun runAfter(ms: Long, task: () -> Unit) {
        tasks.add(Task(now + ms, number++, task))
    }

    override fun runBlocking(task: () -> Unit): Unit = run(task)

    override fun close(): Unit = tasks.clear()

    /** Runs what is due within [ms] milliseconds, and lets them pass. */
    fun pass(ms: Long) {
        val endMs = now + ms
        while (tasks.isNotEmpty() && tasks.peek().atMs <= endMs) step()
        now = endMs
    }

    /** Lets time pass until [condition] holds. Throws [IllegalStateException] where nothing is left that could bring it about. */
    fun settle(condition: () -> Boolean) {
        while (!condition()) {
            check(tasks.isNotEmpty()) { "Nothing is left to be done, and the condition does not hold." }
            step()
        }
    }

    private fun step() {
        val task = tasks.poll()
        now = maxOf(now, task.atMs)
        task.run()
    }

    companion object {
        const val START_MS = 1_800_000_000_000L
    }
}
