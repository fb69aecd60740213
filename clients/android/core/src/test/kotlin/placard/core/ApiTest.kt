package placard.core

import org.junit.Test

public class ApiTest {
    @Test
    public fun thePublicApiIsTheCommittedOne(): Unit = ApiDump.check("core")
}
