"""Random shell programs of marker commands (m1, m2, …) and decoys (d1, d2, …)."""

import random
import re
from collections.abc import Callable


class Program:
    """One random program. ``markers`` counts the marker commands in ``text``."""

    def __init__(self, rng: random.Random, depth: int = 3) -> None:
        self.rng = rng
        self.markers = 0
        self.decoys = 0
        self.documents = 0
        self.continued = "\\"  # at the end of a comment, where it continues nothing (but for a document)
        self.text = self.lines(depth)

    def pick(self, *choices: str | Callable[[], str]) -> str:
        choice = self.rng.choice(choices)
        return choice if isinstance(choice, str) else choice()

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def glue(self, text: str) -> str:
        """The text, now and then with a line continued in the middle."""
        if len(text) < 2 or not self.chance(0.03):
            return text
        at = self.rng.randrange(1, len(text))
        return text[:at] + "\\\n" + text[at:]

    def marker(self) -> str:
        self.markers += 1
        return self.glue(f"m{self.markers}")

    def decoy(self) -> str:
        self.decoys += 1
        return f"d{self.decoys}"

    # Words ----------------------------------------------------------------------------

    def word(self, depth: int) -> str:
        if depth > 0 and self.chance(0.45):
            return self.expansion(depth - 1)
        return self.pick(
            "-3", "foo", "./x", "a=b", "--opt=v", "x#y", "-", "a]b", "]]", "}", "if", "done", "x=y", "!", "é", "time",
            '"a b"', "'x;y'", "$'a\\nb\\x41\\101\\''", '$"loc"', '"x\\"y"', "\\;", "a\\ b", "'a'\"b\"", "x'${t'", "''", '""',
            "'it'\\''s'", '"$"', "a$", "$$", '"a\\\nb"', "a\\\nb", "'a\\\nb'", "'a\nb'", '"\\q\\$v\\`"', "a{b", "x\ry", "%",
            lambda: f"'$({self.decoy()})'", lambda: f'"\\$({self.decoy()})"', lambda: f"\\$'({self.decoy()})'",
            lambda: f"'`{self.decoy()}`'", lambda: f"\\`{self.decoy()}\\`",
        )  # fmt: skip

    def expansion(self, depth: int) -> str:
        return self.pick(
            lambda: self.substitution(depth), lambda: f'"p {self.substitution(depth)} q"',
            lambda: self.parameter(depth, quoted=False), lambda: f'"{self.parameter(depth, quoted=True)}"',
            lambda: f"'a'\"{self.substitution(depth)}\"'b'", lambda: f"'a'{self.substitution(depth)}'b'",
            lambda: self.arithmetic(depth), lambda: f'"{self.arithmetic(depth)}"',
            lambda: f"{self.rng.choice('<>')}({self.inline(depth)})", lambda: f"a<({self.inline(depth)})b",
            lambda: "${arr[" + self.number(depth) + "]}", "${arr[@]}", '"${arr[0]}"', "${#arr[@]}", "${!arr[@]}",
            lambda: f'"{self.pick("a  b", "#", "it is", "(", "x=", "{", "|")}{self.substitution(depth)}"',
        )  # fmt: skip

    def substitution(self, depth: int) -> str:
        if depth > 0 and self.chance(0.15):
            return f"{self.glue('$(')}{self.lines(depth - 1)}\n)"
        if self.chance(0.06):
            one, two = self.marker(), self.marker()
            return self.pick(f'`{one} \\"; {two} \\"`', f'`{one} "\\"; {two} #"`', f'`{one} \\"a b\\"; {two}`')
        if self.chance(0.3):
            return "`" + re.sub(r"([\\`$])", r"\\\1", self.inline(depth)) + "`"
        return f"{self.glue('$(')}{self.pick('', ' ', self.comment)}{self.inline(depth)}{self.pick('', ' ', self.comment)})"

    def parameter(self, depth: int, *, quoted: bool) -> str:
        def operand() -> str:
            if depth > 0 and self.chance(0.6):
                inner = self.substitution(depth - 1)
                if quoted:
                    return self.pick(inner, f"x'{inner}'" if "'" not in inner else inner, f'"{inner}"')
                return self.pick(inner, f"x {inner} y", f'"{inner}"', f"'{{$({self.decoy()})'{inner}")
            return self.pick(
                "x", "a b", '"}"', "\\}", "${v}", "{a,b", '"x y"', "", "*", "'y'" if quoted else "'}'", "#x"
            )

        name = self.pick("u", "v")
        head = self.glue("${" + name)
        op = self.pick(":-", "-", ":+", "+", "#", "##", "%", "%%", "/", "//", "^^", ",", ":", "@Q", "")
        if op in ("@Q", ""):
            return head + op + "}"
        if op == ":":
            return f"{head}:{self.number(depth)}{self.pick('', ':1')}}}"
        if op in ("/", "//"):
            pattern = self.pick("a", '"/"', "'/'", "[/]") if self.chance(0.5) else f"$({self.inline(0)})"
            return f"{head}{op}{pattern}/{operand()}}}"
        if op in ("#", "##", "%", "%%", "^^", ","):
            pattern = self.pick("a", "'}'", "*b", '"}"', "\\}") if self.chance(0.5) else f"$({self.inline(0)})"
            return f"{head}{op}{pattern}}}"
        return f"{head}{op}{operand()}}}"

    def number(self, depth: int) -> str:
        if depth > 0 and self.chance(0.3):
            if self.chance(0.2):
                return f"$({self.compound(1)}\necho 1)"
            return f"$({self.inline(depth - 1)}; echo 1)"
        return self.pick("0", "1", "n", "1+0", "$n", "${n}", "(1)", "n?1:0", "`echo 1`")

    def arithmetic(self, depth: int) -> str:
        return self.pick(
            lambda: f"$(({self.number(depth)} + {self.number(depth)}))",
            lambda: f"{self.glue('$((')} ({self.number(depth)}) * 2 ))", lambda: f"$[{self.number(depth)}+1]",
            lambda: f"$(( ({self.number(depth)}) ))", lambda: f"$(({self.simple(0)}) )",
            lambda: f"$(({self.simple(0)}); {self.simple(0)})", lambda: f"$( ({self.inline(0)}) )",
        )  # fmt: skip

    # Commands -------------------------------------------------------------------------

    def redirection(self) -> str:
        return self.pick(
            "2>&1", ">/dev/null", "2>/dev/null", "</dev/null", "&>/dev/null", "&>>/dev/null", ">>/dev/null", ">|/dev/null",
            "<>/dev/null", "3>/dev/null", "{fd}>/dev/null", "<<< z", ">&2", "3>&-", ">& /dev/null", "3<&0-", "2> /dev/null",
            '> "/dev/null"', ">/dev/\\\nnull", lambda: f"< <({self.inline(0)})", lambda: f"> >({self.inline(0)})",
            lambda: f'<<< "$({self.inline(0)})"', lambda: f"<<<{self.substitution(0)}",
            lambda: f"> /dev/null$({self.inline(0)})",
        )  # fmt: skip

    def assignment(self, depth: int) -> str:
        return self.pick(
            "A=1", 'A="x y"', "B+=1", "C=", "A='x;y'", "A=a\\ b", lambda: f"A=$({self.inline(depth)})", "A=~", "A={a,b}",
            lambda: f'A="$({self.inline(0)})"', lambda: f"arr[{self.number(depth)}]=x", "arr[ 1 ]=x", "arr[0]+=y",
        )  # fmt: skip

    def array(self, depth: int) -> str:
        elements = [self.word(depth) for _ in range(self.rng.randrange(3))]
        elements += [f"[{self.number(depth)}]={self.word(0)}"] if self.chance(0.3) else []
        gap = self.pick(" ", " ", "\n", " # c'\n")
        return f"{self.pick('arr', 'brr')}{self.pick('=', '+=')}({gap.join(elements)})"

    def simple(self, depth: int) -> str:
        pieces = [self.redirection()] if self.chance(0.06) else []
        pieces += [self.assignment(depth)] if self.chance(0.2) else []
        pieces.append(self.marker())
        pieces += [self.word(depth) for _ in range(self.rng.randrange(3))]
        pieces += [self.redirection()] if self.chance(0.25) else []
        pieces += [self.word(0)] if self.chance(0.1) else []
        return self.pick(" ", " ", " ", "\t", " \\\n").join(pieces)

    def special(self, depth: int) -> str:
        return self.pick(
            lambda: self.array(depth), lambda: f"declare -a {self.array(depth)}", lambda: f"export X=$({self.inline(0)}) Y",
            ":", lambda: f"declare z=$({self.inline(0)})",
            lambda: f"(( {self.number(depth)} ))", lambda: f"(({self.simple(0)}) )", lambda: f"(({self.simple(0)});{self.simple(0)})",
            lambda: f"[[ {self.test(depth)} ]]", lambda: f"{self.assignment(depth)}", lambda: f"coproc {self.simple(0)}",
            lambda: f"coproc N {{ {self.inline(0)}; }}", lambda: f"> /dev/null < <({self.inline(0)})",
            lambda: f"case x in y) {self.inline(0)} ;; esac",
        )  # fmt: skip

    def test(self, depth: int) -> str:
        return self.pick(
            "-n x", "x", "! -z x", "a < b", "a == a*", "y =~ ^(x|y)$", "y =~ [[:alpha:]] ",
            lambda: f"-n $({self.inline(0)})", lambda: f"x =~ $({self.inline(0)})", lambda: f"x == $({self.inline(0)})",
            lambda: f"1 -eq {self.number(depth)}", lambda: f"( {self.test(0)} )", lambda: f"x == @(x|$({self.inline(0)}))",
            lambda: f"{self.test(0)} && {self.test(0)}", lambda: f"{self.test(0)} ||\n {self.test(0)}", lambda: f"! {self.test(0)}",
            lambda: f"z =~ (a|$({self.simple(0)})) ", lambda: f"x != 'a b'{self.word(0)}", "a =~ a\\ b", "x =~ \"(\"",
        )  # fmt: skip

    def compound(self, depth: int) -> str:
        def body() -> str:
            return self.lines(depth - 1)

        def condition() -> str:
            return self.inline(depth - 1)

        text = self.pick(
            lambda: f"{{ {body()}\n}}", lambda: f"({self.pick('', ' ')}{body()}\n)", lambda: f"{{ {self.inline(0)};}}",
            lambda: f"if {condition()}; then\n{body()}\nelse {body()}\nfi", lambda: f"for i in 1 {self.word(depth)}; do {body()}\ndone",
            lambda: f"if ! {self.simple(0)}; then {body()}\nelif {condition()}\nthen {body()}\nfi",
            lambda: f"for i\nin a\ndo {body()}\ndone", lambda: f"for i in a; {{ {body()}\n}}", lambda: f"for i; do {body()}\ndone",
            lambda: self.case(depth), lambda: f"while {condition()}; do {body()}\nbreak; done", lambda: self.function(depth),
            lambda: f"until {condition()}; do {body()}\nbreak; done", lambda: f"select i in a b; do {body()}\nbreak; done <<< 1",
            lambda: f"for ((i={self.number(0)};i<1;i++)); do {body()}\ndone", lambda: f"for ((;;)) {{ {body()}\nbreak; }}",
            lambda: f"if [[ {self.test(1)} ]]; then {body()}\nfi", lambda: f"if (({self.number(1)})) ; then {body()}\nfi",
            lambda: f"if ( {self.inline(0)} ) then {self.inline(0)}; fi", lambda: f"if {{ {self.inline(0)}; }} then {self.inline(0)}; fi",
        )  # fmt: skip
        if text[0] in "{(ifwu" and "\n" in text and self.chance(0.25) and not text.startswith("f"):
            text += " " + self.redirection()
        return text

    def case(self, depth: int) -> str:
        arms = []
        for _ in range(self.rng.choice((1, 2, 3))):
            pattern = self.pick(
                "x",
                "y|x",
                "(x|z)",
                "'x'",
                '"x"',
                "*",
                "[a-z]",
                "if",
                lambda: f"$({self.inline(0)})",
            )
            body = self.pick(lambda: self.lines(depth - 1) + "\n", lambda: self.inline(0), ":")
            arms.append(f"{pattern}) {body} {self.pick(';;', ';;', ';&', ';;&')}")
        last = self.pick("", "", lambda: f" *) {self.inline(0)}")
        gap = self.pick("\n", " ", " # c'\n")
        return f"case {self.pick('x', self.word(depth - 1).strip() or 'x')} in{gap}{gap.join(arms)}{last}\nesac"

    def function(self, depth: int) -> str:
        name = self.pick("f", "g", "f-g.h", "f:x", "f+")
        body = self.pick(lambda: f"{{ {self.lines(depth - 1)}\n}}", lambda: f"( {self.inline(0)} )", lambda: f"if {self.inline(0)}; then :; fi",
                         lambda: f"for i in 1; do {self.inline(0)}; done")  # fmt: skip
        head = self.pick(f"{name}()", f"{name} ( )", f"function {name}", f"function {name} ()", f"{name}()\n")
        return f"{head} {body}{self.pick('', ' >/dev/null')}\n{name}"

    # Here-documents -------------------------------------------------------------------

    def heredoc(self, depth: int) -> str:
        announced, bodies = [], []
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            self.documents += 1
            letter = f"E{self.documents}"
            end = self.pick(
                letter,
                f"'{letter}'",
                f'"{letter}"',
                f"\\{letter}",
                f"-{letter}",
                f"-'{letter}'",
                f"{letter}''",
                f"$'{letter}'",
                f" {letter}",
            )
            quoted = any(mark in end for mark in "'\"\\")
            tab = "\t" if end[0] == "-" and self.chance(0.5) else ""
            announced.append(f"{self.simple(0)} {self.pick('', '3')}<<{end}")
            bodies.append("".join(f"{line}\n" for line in self.document(depth, quoted=quoted)) + f"{tab}{letter}")
        line = self.pick(" | ", "; ", " && ").join(announced)
        line += self.pick("", "", lambda: " | " + self.simple(0), lambda: " && " + self.simple(0), lambda: "; " + self.simple(0), " >/dev/null",
                          lambda: f' "{self.substitution(0)}"' if "\n" not in line else "", " # c'", " &")  # fmt: skip
        return line + "\n" + "\n".join(bodies)

    def document(self, depth: int, *, quoted: bool) -> list[str]:
        if quoted:
            line = self.pick(
                "text",
                lambda: f"$({self.decoy()})",
                "it's \"x",
                lambda: f"`{self.decoy()}`",
                "'E1'",
                "x" + self.continued,
                " E1",
                "E1 ",
                lambda: self.decoy(),
            )
            return [line] if self.chance(0.8) else []
        before, self.continued = self.continued, ""
        lines = [
            self.pick("text here", "it's \"x", lambda: self.substitution(depth), "a | b; c", lambda: self.parameter(depth, quoted=True),
                      "\ttabbed", lambda: f"`{self.marker()}`", "'E1'", "E1 ", "\\$(no)", "x\\\ny", lambda: self.arithmetic(depth), "a\\\\", '"')
            for _ in range(self.rng.choice((0, 1, 1, 2)))
        ]  # fmt: skip
        self.continued = before
        return lines

    # Lists ----------------------------------------------------------------------------

    def pipeline(self, depth: int) -> str:
        count = self.rng.choice((1, 1, 1, 2, 2, 3, 4))
        prefix = self.pick("", "", "", "", "", "! ", "time ", "time -p ", "! ! ", "time -- ")
        bar = self.pick(" | ", "|", " |& ", " |\n ", " | # c'\n")
        return prefix + bar.join(self.element(depth) for _ in range(count))

    def element(self, depth: int) -> str:
        if depth > 0 and self.chance(0.25):
            return self.special(depth) if self.chance(0.3) else self.compound(depth).removesuffix("\nf")
        return self.simple(depth)

    def inline(self, depth: int) -> str:
        joint = self.pick("; ", " && ", " || ", "|", " & ", self.glue("&&"))
        return joint.join(self.simple(depth) for _ in range(self.rng.choice((1, 1, 1, 2))))

    def item(self, depth: int) -> str:
        draw = self.rng.random()
        if draw < 0.12:
            return self.heredoc(depth)
        if depth > 0 and draw < 0.3:
            return self.compound(depth)
        if depth > 0 and draw < 0.4:
            return self.special(depth)
        return self.pipeline(depth)

    def comment(self) -> str:
        return self.pick(
            " # c\n",
            lambda: f" # it's $({self.decoy()}) \"\n",
            lambda: f"\n# {self.decoy()} {self.pick('', self.continued)}\n",
        )

    def lines(self, depth: int) -> str:
        text = self.item(depth)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3))):
            after_document = re.search(r"\n\t?E\d+$", text) is not None
            text += (
                "\n"
                if after_document
                else self.pick("\n", "\n", "; ", " && ", " || ", " & ", "\n\n", " ;\n", " &&\n", self.comment)
            )
            text += self.item(depth)
        return text
