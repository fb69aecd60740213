"""What follows from declarations in other files is fresh."""

import pytest

from tests.contract.generated import GENERATED, OF_LIBRARIES, ROOT


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_part_is_what_the_declarations_say(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")

    assert text == GENERATED[name](text), "run `make openapi` and commit it"


def test_a_declaration_that_a_file_lacks_is_written_into_it() -> None:
    lines = {
        "clients/contract/tokens.json": '"event": "viewable"',
        "clients/web/src/ad.ts": '  | "viewable"\n',
        "clients/android/core/src/main/kotlin/placard/core/Outcomes.kt": '    VIEWABLE("viewable"),\n',
        "clients/ios/Sources/PlacardCore/Outcomes.swift": "    case viewable\n",
        "clients/flutter/lib/src/core/outcomes.dart": "  viewable('viewable'),\n",
        "edge/fastpath/serve_cache/parameters.inc": '    WORD("keywords"),\n',
        "docs/reports.md": "| `fills` | Requests that were filled. |\n",
    }
    makers = {**GENERATED, **OF_LIBRARIES}
    assert lines.keys() == makers.keys()
    for name, line in lines.items():
        text = (ROOT / name).read_text("utf-8")
        without = text.replace(
            line, line.replace("viewable", "gone") if name.endswith("json") else ""
        )

        assert without != text
        assert makers[name](without) == text
