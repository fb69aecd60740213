"""The generated clients: how each is made, compiled and, for five of them, put through the flow."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.generated_clients.programs import (
    NODE_PROGRAMS,
    PYTHON,
    VERSIONS,
    WORK,
    Command,
    openapi_generator,
    prepare_node,
    prepare_python,
    run,
)

HERE: Final = Path(__file__).parent

_WARNING: Final = re.compile(r"\bWARN(ING)?\b|\bwarning\b")
_EXPECTED: Final = {
    "OpenAPI 3.1 support is still in beta": "Of every description of this version.",
    "Failed to get the schema name: null": "Of every schema that stands in place.",
    "Unable to autodetect 'javac' path": "Of Maven, where `javac` is found on the PATH.",
    "Ignoring complex example on request body": "Of every example of a body.",
    "AbstractRustCodegen": "Of every header, media type and `x-enum-varnames`, though it renames nothing that matters.",
    "From (reserved word) cannot be used as model name": "Of a parameter `from`; no model is made of it.",
    "empty (reserved word) cannot be used as model name": "Of a parameter `empty`; no model is made of it.",
}
"""Parts of warnings that a generator gives of any such description, and when."""


@dataclass(frozen=True, slots=True)
class Client:
    """``compile`` and ``flow`` run in the client's folder; a flow reads its stack from the environment."""

    name: str
    generate: Callable[["Client"], str]
    """Gives the generator's output."""
    programs: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    """Files of ``flows/`` by where they belong in the folder."""
    compile: tuple[Command, ...] = ()
    flow: Command | None = None
    look_through: Callable[[Path], list[str]] | None = None
    """Gives what is wrong with generated code that is not compiled."""
    expected: tuple[str, ...] = ()
    """Parts of warnings that are no fault in this language."""

    @property
    def folder(self) -> Path:
        return WORK / self.name

    def warnings_of(self, output: str) -> list[str]:
        """Those that the description causes."""
        expected = (*_EXPECTED, *self.expected)
        lines = [line.strip() for line in output.splitlines() if _WARNING.search(line)]
        return [line for line in lines if not any(part in line for part in expected)]


def _generator(language: str) -> Callable[[Client], str]:
    """Openapi-generator, with default options."""

    def generate(client: Client) -> str:
        command = ["java", "-jar", str(openapi_generator()), "generate", "-g", language]
        return run([*command, "-i", "../openapi.json", "-o", "."], client.folder)

    return generate


def _python(client: Client) -> str:
    prepare_python()
    return _generator("python")(client)


def _python_client(client: Client) -> str:
    prepare_python()
    command = ["-m", "openapi_python_client", "generate", "--meta", "none"]
    target = ["--path", "../openapi.json", "--output-path", "placard_client"]
    return run([PYTHON, *command, *target], client.folder)


def _oapi_codegen(client: Client) -> str:
    tool = f"github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v{VERSIONS['oapi-codegen']}"
    command = ["go", "run", tool, "-generate", "types,client", "-package", "placard"]
    (client.folder / "placard").mkdir()
    (client.folder / "go.mod").write_text("module placard.example/flow\n\ngo 1.24\n")
    return run([*command, "-o", "placard/placard.go", "../openapi.json"], client.folder)


def _openapi_typescript(client: Client) -> str:
    prepare_node()
    command = str(NODE_PROGRAMS / "openapi-typescript")
    return run([command, "../openapi.json", "-o", "placard.ts"], client.folder)


def _typescript_fetch(client: Client) -> str:
    prepare_node()
    return _generator("typescript-fetch")(client)


_CLASS = re.compile(r"^    public (?:\w+ )*(?:class|enum) (\w+)", re.MULTILINE)
_MEMBER = re.compile(
    r"^        public (?:(?:enum|class) (\w+)$|[\w<>?, .]+ (\w+) \{ get\b)", re.MULTILINE
)
_ENUM = re.compile(r"public enum (\w+)\s*\{(.*?)\n\s*\}", re.DOTALL)
_CONSTANT = re.compile(r"^\s*(\w+)(?: = \d+)?,?$", re.MULTILINE)


def _colliding_names(folder: Path) -> list[str]:
    """
    What a C# compiler would refuse: classes of one name in the namespace, members of one name in a class or named as
    the class, constants of one name in an enumeration.
    """
    models = folder.glob("src/Org.OpenAPITools/Model/*.cs")
    texts = [path.read_text(encoding="utf-8-sig") for path in models]
    classes = [name for text in texts for name in _CLASS.findall(text)]
    found = [f"class {name}" for name in _repeated(classes)]
    for text in texts:
        members = [nested or member for nested, member in _MEMBER.findall(text)]
        names = _CLASS.findall(text)[:1]
        found += [f"member {name} of {names}" for name in _repeated([*names, *members])]
        for name, body in _ENUM.findall(text):
            found += [f"constant {one} of {name}" for one in _repeated(_CONSTANT.findall(body))]
    return found if texts else ["No model was generated."]


def _repeated(names: list[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


_TSC = str(NODE_PROGRAMS / "tsc")
_MAVEN = ["mvn", "-B", "-ntp", "-Dmaven.test.skip=true", "compile"]
_GO_BUILD: tuple[Command, ...] = (["go", "mod", "tidy"], ["go", "build", "./..."])
_PHP = "find lib -name '*.php' -print0 | xargs -0 -n 1 -P 2 php -l"

CLIENTS: tuple[Client, ...] = (
    Client(
        "openapi-python-client",
        _python_client,
        files={"flow.py": "python_client.py"},
        compile=([PYTHON, "-W", "error", "-m", "compileall", "-q", "."],),
        flow=[PYTHON, "flow.py"],
    ),
    Client(
        "python",
        _python,
        programs=("java", "mvn"),
        files={"flow.py": "python_generator.py"},
        compile=(
            [PYTHON, "-m", "pip", "install", "-q", "-r", "requirements.txt"],
            [PYTHON, "-W", "error", "-m", "compileall", "-q", "openapi_client"],
        ),
        flow=[PYTHON, "-W", "error", "flow.py"],
    ),
    Client(
        "typescript-fetch",
        _typescript_fetch,
        programs=("java", "mvn", "node", "npm"),
        files={"flow.ts": "typescript_fetch.ts", "tsconfig.json": "tsconfig.json"},
        compile=([_TSC, "-p", "."],),
        flow=["node", "built/flow.js"],
    ),
    Client(
        "go",
        _generator("go"),
        programs=("java", "mvn", "go"),
        files={"cmd/flow/main.go": "go/main.go"},
        compile=_GO_BUILD,
        flow=["go", "run", "./cmd/flow"],
    ),
    Client(
        "oapi-codegen",
        _oapi_codegen,
        programs=("go",),
        files={"main.go": "oapi_codegen/main.go"},
        compile=_GO_BUILD,
        flow=["go", "run", "."],
    ),
    Client(
        "openapi-typescript",
        _openapi_typescript,
        programs=("node", "npm"),
        compile=([_TSC, "--strict", "--noEmit", "--target", "es2022", "placard.ts"],),
    ),
    Client(
        "java",
        _generator("java"),
        programs=("java", "mvn"),
        compile=(_MAVEN,),
        expected=("[unchecked] unchecked cast",),  # in the class of every union with a list
    ),
    Client(
        "kotlin",
        _generator("kotlin"),
        programs=("java", "mvn"),
        files={"pom.xml": "kotlin/pom.xml"},
        compile=(_MAVEN,),
        expected=("infrastructure/ApiClient.kt",),  # the same for every description
    ),
    Client(
        "rust",
        _generator("rust"),
        programs=("java", "mvn", "cargo"),
        compile=(["cargo", "check", "--quiet"],),
    ),
    Client(
        "php",
        _generator("php"),
        programs=("java", "mvn", "php"),
        compile=(["sh", "-c", _PHP],),
    ),
    Client(
        "csharp",
        _generator("csharp"),
        programs=("java", "mvn"),
        look_through=_colliding_names,
        expected=("(reserved word) cannot be used as model name",),
    ),
)
