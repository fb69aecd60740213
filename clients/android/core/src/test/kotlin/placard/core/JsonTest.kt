package placard.core

import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Test

public class JsonTest {
    @Test
    public fun everyKindOfValueIsReadAndWritten() {
        val text = """{"a":[1,-2.5,1.0E20,true,false,null,{}],"b":"é\n\"\\\u2028","c":9007199254740993}"""

        val value = Json.parse(" $text ")

        assertEquals(9007199254740993L, (value as Map<*, *>)["c"])
        assertEquals(text, Json.write(value))
    }

    @Test
    public fun charactersBeyondTheBasicPlaneSurvive() {
        assertEquals("👟", Json.parse(Json.write("👟")))
        assertEquals("\"\\ud83d\\udc5f\"", Json.write("👟"))
    }

    @Test
    public fun whatIsNotJsonIsRefused() {
        val deep = "[".repeat(40) + "]".repeat(40)
        val wrong = listOf(
            "", "{", "[1,]", "{\"a\":}", "{a:1}", "01", "1.", "tru", "\"\n\"", "\"\\x\"", "\"\\u12", "\"\\u+123\"", "1 2", deep,
            "<html>", "NaN", "-",
        )
        for (text in wrong) assertThrows(text, IllegalArgumentException::class.java) { Json.parse(text) }
    }
}
