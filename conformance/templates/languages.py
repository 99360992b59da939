"""The languages with a template."""

from dataclasses import dataclass

__all__ = ["LANGUAGES", "Language", "named"]


@dataclass(frozen=True)
class Language:
    """A language, and how its template is built and run. Its files are in ``files/SLUG``."""

    slug: str
    name: str
    """The usual spelling of its name."""
    protocol: str
    """The project's protocol file, which authors never edit."""
    author: str
    """The file for the author."""
    run: str
    """The command for ``--runner``, run in the project's folder."""
    build: tuple[str, ...] = ()
    """Shell commands to run before it, in the project's folder."""
    needs: tuple[str, ...] = ()
    """Programs that must be on PATH."""
    install: str = ""
    """The Debian packages for them, if not obvious."""
    aliases: tuple[str, ...] = ()
    oneshot: bool = False
    """Whether it answers one request per process."""
    ignore: tuple[str, ...] = ()
    """The build outputs, for .gitignore."""
    shim: str = ""
    """The kit's module to use as the protocol file, if the template has none."""
    setup: tuple[str, ...] = ()
    """Lines of YAML: steps of a GitHub workflow needed before the build."""


LANGUAGES: tuple[Language, ...] = (
    Language(
        slug="python",
        name="Python",
        protocol="protocol.py",
        shim="shim.py",
        author="runner.py",
        run="python3 runner.py",
        needs=("python3",),
        aliases=("py",),
        ignore=("__pycache__/",),
    ),
    Language(
        slug="typescript",
        name="TypeScript",
        protocol="src/protocol.ts",
        author="src/runner.ts",
        build=("npm install --no-audit --no-fund", "npm run build"),
        run="node build/runner.js",
        needs=("node", "npm"),
        install="nodejs npm",
        aliases=("ts", "node"),
        ignore=("/build/", "/node_modules/"),
    ),
    Language(
        slug="rust",
        name="Rust",
        protocol="src/protocol.rs",
        author="src/main.rs",
        build=("cargo build --release",),
        run="target/release/my-runner",
        needs=("cargo",),
        aliases=("rs",),
        ignore=("/target/",),
    ),
    Language(
        slug="go",
        name="Go",
        protocol="protocol.go",
        author="main.go",
        build=("go build -o runner .",),
        run="./runner",
        needs=("go",),
        install="golang-go",
        aliases=("golang",),
        ignore=("/runner",),
    ),
    Language(
        slug="java",
        name="Java",
        protocol="Protocol.java",
        author="Runner.java",
        build=("javac -encoding UTF-8 -d build Protocol.java Runner.java",),
        run="java -cp build Runner",
        needs=("javac", "java"),
        install="default-jdk-headless",
        ignore=("/build/",),
    ),
    Language(
        # For modern .NET there is my-runner.csproj, which no test builds: only mono's compiler is tried.
        slug="csharp",
        name="C#",
        protocol="Protocol.cs",
        author="Runner.cs",
        build=("mcs -out:runner.exe -r:System.Numerics Protocol.cs Runner.cs",),
        run="mono runner.exe",
        needs=("mcs", "mono"),
        install="mono-mcs libmono-system-numerics4.0-cil",
        aliases=("c#", "cs", "dotnet"),
        ignore=("/runner.exe", "/bin/", "/build/", "/obj/"),
        setup=(
            "- name: Install mono",
            "  run: sudo apt-get update && sudo apt-get install -y mono-mcs libmono-system-numerics4.0-cil",
        ),
    ),
    Language(
        slug="cpp",
        name="C++",
        protocol="protocol.hpp",
        author="runner.cpp",
        build=("make",),
        run="./runner",
        needs=("make", "c++"),
        install="g++ make",
        aliases=("c++", "cxx"),
        ignore=("/runner",),
    ),
    Language(
        slug="shell",
        name="POSIX shell",
        protocol="protocol.sh",
        author="runner.sh",
        run="sh runner.sh",
        needs=("sh", "awk"),
        install="mawk",
        aliases=("sh", "posix"),
        oneshot=True,
    ),
)


def named(word: str) -> Language | None:
    """The language of that name, slug or alias, in any case."""
    wanted = word.lower()
    for language in LANGUAGES:
        if wanted in (language.slug, language.name.lower(), *language.aliases):
            return language
    return None
