package placard.core

import java.util.concurrent.Executor
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.ScheduledThreadPoolExecutor
import java.util.concurrent.ThreadPoolExecutor
import java.util.concurrent.TimeUnit

/** Threads, time and chance. The client's state belongs to one thread, its own. */
internal interface Scheduler {
    /** Milliseconds of a clock that never goes back. */
    fun nowMs(): Long

    /** Milliseconds since the epoch. */
    fun wallMs(): Long

    /** Evenly distributed, from 0 to below 1. */
    fun random(): Double

    /** Runs [task] on the client's own thread, in order. */
    fun run(task: () -> Unit)

    /** Runs [task] on the client's own thread, [ms] milliseconds from now. */
    fun runAfter(ms: Long, task: () -> Unit)

    /** Runs [task], which may block, on another thread. */
    fun runBlocking(task: () -> Unit)

    fun close()
}

internal class ThreadScheduler : Scheduler {
    private val own = ScheduledThreadPoolExecutor(1) { work -> daemon(work, "placard") }
    private val network = ThreadPoolExecutor(NETWORK_THREADS, NETWORK_THREADS, 10, TimeUnit.SECONDS, LinkedBlockingQueue()) {
        daemon(it, "placard-network")
    }

    init {
        // An app that shows no ad at the moment has no thread for them.
        own.setKeepAliveTime(10, TimeUnit.SECONDS)
        own.allowCoreThreadTimeOut(true)
        own.removeOnCancelPolicy = true
        network.allowCoreThreadTimeOut(true)
    }

    override fun nowMs(): Long = System.nanoTime() / 1_000_000

    override fun wallMs(): Long = System.currentTimeMillis()

    override fun random(): Double = Math.random()

    override fun run(task: () -> Unit): Unit = submit(own, task)

    override fun runAfter(ms: Long, task: () -> Unit) {
        if (!own.isShutdown) own.schedule(guarded(task), ms, TimeUnit.MILLISECONDS)
    }

    override fun runBlocking(task: () -> Unit): Unit = submit(network, task)

    override fun close() {
        own.shutdownNow()
        network.shutdownNow()
    }

    private fun submit(executor: ThreadPoolExecutor, task: () -> Unit) {
        if (!executor.isShutdown) executor.execute(guarded(task))
    }

    private companion object {
        private const val NETWORK_THREADS = 4

        private fun daemon(work: Runnable, name: String) = Thread(work, name).apply {
            isDaemon = true
            priority = Thread.NORM_PRIORITY - 1
        }

        /** A fault of this library ends one call, never the app. */
        private fun guarded(task: () -> Unit) = Runnable {
            try {
                task()
            } catch (fault: Exception) {
                Log.report(fault)
            }
        }
    }
}

/** Where the host of a callback runs it. */
internal object DirectExecutor : Executor {
    override fun execute(task: Runnable): Unit = task.run()
}

/** Faults that a library may not throw into its host. */
public object Log {
    /** Receives faults; null: they are dropped. Called on any thread. */
    @JvmStatic
    @Volatile
    public var listener: Callback<Throwable>? = null

    public fun report(fault: Throwable) {
        try {
            listener?.onResult(fault)
        } catch (_: Exception) {
            // The listener is the host's, and what it throws must not reach the host either.
        }
    }
}
