package placard.android

import org.junit.Test
import placard.core.ApiDump

public class ApiTest {
    @Test
    public fun thePublicApiIsTheCommittedOne(): Unit = ApiDump.check("placard")
}
