package placard.core

/**
 * JSON as Kotlin values: `Map<String, Any?>` in the order of the text, `List<Any?>`, `String`, `Long`, `Double`,
 * `Boolean`, `null`. The platform's `org.json` is on devices only, and this module also runs on a plain JVM.
 */
public object Json {
    /** Deeper text is refused: an edge nests no more than eight levels. */
    private const val MAX_DEPTH = 32

    /** Throws [IllegalArgumentException] where [text] is not one JSON value. */
    public fun parse(text: String): Any? = Reader(text).document()

    /** Throws [IllegalArgumentException] for values that JSON does not have. */
    public fun write(value: Any?): String = StringBuilder().also { append(it, value) }.toString()

    private fun append(to: StringBuilder, value: Any?) {
        when (value) {
            null, is Boolean, is Int, is Long -> to.append(value)
            is Double -> {
                require(!value.isNaN() && !value.isInfinite()) { "$value is not a JSON number." }
                to.append(value)
            }
            is String -> appendText(to, value)
            is Map<*, *> -> {
                to.append('{')
                var separator = ""
                for ((name, item) in value) {
                    to.append(separator)
                    separator = ","
                    appendText(to, name.toString())
                    to.append(':')
                    append(to, item)
                }
                to.append('}')
            }
            is List<*> -> {
                to.append('[')
                value.forEachIndexed { index, item ->
                    if (index > 0) to.append(',')
                    append(to, item)
                }
                to.append(']')
            }
            else -> throw IllegalArgumentException("${value.javaClass.name} is not a JSON value.")
        }
    }

    private fun appendText(to: StringBuilder, text: String) {
        to.append('"')
        for (char in text) {
            when {
                char == '"' || char == '\\' -> to.append('\\').append(char)
                char == '\n' -> to.append("\\n")
                // Line separators of JavaScript, and half characters, which UTF-8 cannot carry.
                char < ' ' || char == '\u2028' || char == '\u2029' || char.isSurrogate() ->
                    to.append("\\u").append(char.code.toString(16).padStart(4, '0'))
                else -> to.append(char)
            }
        }
        to.append('"')
    }

    private class Reader(private val text: String) {
        private var at = 0

        fun document(): Any? {
            val value = value(0)
            space()
            if (at != text.length) fail()
            return value
        }

        private fun value(depth: Int): Any? {
            if (depth > MAX_DEPTH) fail()
            space()
            return when (peek()) {
                '{' -> members(depth)
                '[' -> items(depth)
                '"' -> string()
                't' -> word("true", true)
                'f' -> word("false", false)
                'n' -> word("null", null)
                else -> number()
            }
        }

        private fun members(depth: Int): Map<String, Any?> {
            val found = LinkedHashMap<String, Any?>()
            at++
            space()
            if (take('}')) return found
            do {
                space()
                if (peek() != '"') fail()
                val name = string()
                space()
                if (!take(':')) fail()
                found[name] = value(depth + 1)
                space()
            } while (take(','))
            if (!take('}')) fail()
            return found
        }

        private fun items(depth: Int): List<Any?> {
            val found = ArrayList<Any?>()
            at++
            space()
            if (take(']')) return found
            do {
                found.add(value(depth + 1))
                space()
            } while (take(','))
            if (!take(']')) fail()
            return found
        }

        private fun string(): String {
            val found = StringBuilder()
            at++
            while (true) {
                when (val char = next()) {
                    '"' -> return found.toString()
                    '\\' -> found.append(escaped())
                    else -> if (char < ' ') fail() else found.append(char)
                }
            }
        }

        private fun escaped(): Char = when (val char = next()) {
            '"', '\\', '/' -> char
            'b' -> '\b'
            'f' -> '\u000c'
            'n' -> '\n'
            'r' -> '\r'
            't' -> '\t'
            'u' -> {
                if (at + 4 > text.length) fail()
                val digits = text.substring(at, at + 4)
                if (!digits.all { it in '0'..'9' || it in 'a'..'f' || it in 'A'..'F' }) fail()
                at += 4
                digits.toInt(16).toChar()
            }
            else -> fail()
        }

        private fun number(): Any {
            val start = at
            while (at < text.length && (text[at] in '0'..'9' || text[at] in "+-.eE")) at++
            val digits = text.substring(start, at)
            if (!NUMBER.matches(digits)) fail()
            return digits.toLongOrNull() ?: digits.toDouble()
        }

        private fun <T> word(word: String, value: T): T {
            if (!text.startsWith(word, at)) fail()
            at += word.length
            return value
        }

        private fun space() {
            while (at < text.length && text[at] in " \t\r\n") at++
        }

        private fun peek(): Char = if (at < text.length) text[at] else fail()

        private fun next(): Char = peek().also { at++ }

        private fun take(char: Char): Boolean = (at < text.length && text[at] == char).also { if (it) at++ }

        private fun fail(): Nothing = throw IllegalArgumentException("Not JSON at character $at.")
    }

    private val NUMBER = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")
}

/** Fields of a response; of another type, or absent, they are null. */
internal fun Any?.member(name: String): Any? = (this as? Map<*, *>)?.get(name)

internal fun Any?.text(name: String): String? = member(name) as? String

internal fun Any?.long(name: String): Long? = member(name) as? Long

internal fun Any?.int(name: String): Int? = long(name)?.coerceIn(Int.MIN_VALUE.toLong(), Int.MAX_VALUE.toLong())?.toInt()

internal fun Any?.number(name: String): Double? = (member(name) as? Number)?.toDouble()

internal fun Any?.flag(name: String): Boolean? = member(name) as? Boolean

internal fun Any?.list(name: String): List<Any?> = member(name) as? List<Any?> ?: emptyList()
