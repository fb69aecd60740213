package placard.core

import java.io.File
import kotlinx.validation.api.dump
import kotlinx.validation.api.filterOutNonPublic
import kotlinx.validation.api.loadApiFromJvmClasses
import org.junit.Assert.assertEquals

/** The public API of a module, compared with the committed file: what is removed there breaks apps that are compiled. */
public object ApiDump {
    /** `-Dplacard.update=true` writes the file instead. */
    public fun check(name: String) {
        val committed = File(System.getProperty("placard.root"), "api/$name.api")
        val classes = File("target/classes").walk().filter { it.extension == "class" }.sortedBy { it.path }
        val text = classes.map { it.inputStream() }.loadApiFromJvmClasses().filterOutNonPublic().dump(StringBuilder()).toString()
        if (System.getProperty("placard.update") == "true") committed.writeText(text)
        assertEquals("Run mvn test -Dplacard.update=true, and read what changed.", committed.readText(), text)
    }
}
