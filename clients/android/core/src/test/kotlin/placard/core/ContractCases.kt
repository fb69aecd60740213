package placard.core

import java.io.File

/** The conformance cases that all client libraries run, as their files have them. */
public object ContractCases {
    private val folder = File(checkNotNull(System.getProperty("placard.contract")) { "Run the tests by Maven." })

    public val answers: Map<String, Any?> = fields(read("answers"))

    /** Those of one file, by its name without the ending: the name of each, and the case. */
    public fun of(file: String): List<Array<Any>> =
        (fields(read(file))["cases"] as List<*>).map { arrayOf("$file: ${fields(it)["name"]}", fields(it)) }

    @Suppress("UNCHECKED_CAST")
    public fun fields(value: Any?): Map<String, Any?> = value as Map<String, Any?>

    private fun read(name: String) = Json.parse(File(folder, "$name.json").readText())
}
