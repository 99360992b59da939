"""What the kit knows of each language that it has a template for."""

from dataclasses import dataclass

__all__ = ["LANGUAGES", "Language", "named"]


@dataclass(frozen=True)
class Language:
    """A language, and how its template is built and run. Its files lie in ``files/SLUG``."""

    slug: str
    name: str
    """As its people write it."""
    protocol: str
    """The file that nobody needs to touch, in the project."""
    author: str
    """The file that the author writes on."""
    run: str
    """The command to give to ``--runner``, in the project's folder."""
    build: tuple[str, ...] = ()
    """Commands of a shell, in the project's folder, that come before it."""
    needs: tuple[str, ...] = ()
    """Programs that must be there, as looked up on PATH."""
    install: str = ""
    """What to install on Debian for them, where it is not obvious."""
    aliases: tuple[str, ...] = ()
    oneshot: bool = False
    """Whether it answers one request per process."""
    ignore: tuple[str, ...] = ()
    """What git leaves out: what a build makes."""
    shim: str = ""
    """The kit's own module that is the protocol file, where it is no file of the template."""
    setup: tuple[str, ...] = ()
    """Lines of YAML: steps of a GitHub workflow that a runner of GitHub needs before the build."""


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
