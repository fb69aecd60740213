package placard.core

import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

public class ViewableTest {
    private val banner = 300.0 * 250
    private val billboard = 970.0 * 300

    @Test
    public fun halfOfItForASecondIsAView() {
        val clock = ViewClock(Viewability(0.5, 1000))

        assertFalse(clock.sample(0, 0.5, banner))
        assertFalse(clock.sample(999, 0.5, banner))
        assertTrue(clock.sample(1000, 0.5, banner))
        assertFalse(clock.sample(2000, 0.5, banner))
    }

    @Test
    public fun aBreakBeginsTheSecondAnew() {
        val clock = ViewClock(Viewability(0.5, 1000))
        clock.sample(0, 1.0, banner)
        clock.sample(900, 0.49, banner)
        clock.sample(1000, 1.0, banner)

        assertFalse(clock.sample(1900, 1.0, banner))
        assertTrue(clock.sample(2000, 1.0, banner))
    }

    @Test
    public fun ofALargeAdLessIsEnough() {
        val clock = ViewClock(Viewability(0.5, 1000))
        clock.sample(0, 0.3, billboard)

        assertTrue(clock.sample(1000, 0.3, billboard))
    }

    @Test
    public fun aRefreshWaitsForItsTimeInView() {
        val clock = RefreshClock(5)
        clock.sample(0, 1.0, banner)
        clock.sample(20_000, 0.0, banner)
        clock.sample(100_000, 1.0, banner)

        assertFalse(clock.sample(109_999, 1.0, banner))
        assertTrue(clock.sample(110_000, 1.0, banner))
    }

    @Test
    public fun quartilesAreReportedOnceAndInOrder() {
        val playback = Playback()

        assertEquals(listOf(AdEvent.START), playback.advance(0, 0))
        assertEquals(emptyList<AdEvent>(), playback.advance(100, 20_000))
        assertEquals(listOf(AdEvent.FIRST_QUARTILE, AdEvent.MIDPOINT), playback.advance(10_000, 20_000))
        assertEquals(emptyList<AdEvent>(), playback.advance(2_000, 20_000))
        assertEquals(listOf(AdEvent.THIRD_QUARTILE, AdEvent.COMPLETE), playback.complete())
        assertEquals(emptyList<AdEvent>(), playback.complete() + playback.fail() + playback.advance(0, 20_000))
    }
}
