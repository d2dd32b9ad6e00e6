"""Equations as READMEs write them, in one line of plain text, as MathML: what browsers draw without a script or a font.

What stands together is one factor, and spaces part factors: ``I R/(3 A L)`` is I times R over 3 A L. With spaces around
it a stroke divides the whole product before it. ``_`` and ``^`` take a letter, a word, or what is in braces or
parentheses; words of three letters and more stand upright.
"""

from __future__ import annotations

import re
from html import escape, unescape

SUPER = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀ*'", "0123456789+−T*′", strict=True))
SUB = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
CLOSING = {"(": ")", "[": "]", "⟨": "⟩", "{": "}", "|": "|"}
FUNCTIONS = {"asinh", "sinh", "exp", "ln", "log", "sin", "cos", "tan", "max", "min", "diag", "sym", "div", "grad"}
SUPER_AND_SUB = "".join((*SUPER, *SUB))
LARGE = {"Σ": "<mo>∑</mo>", "∫": "<mo>∫</mo>"}
TALL = ("<mfrac>", "<msqrt>", *LARGE.values())
SIMPLE = {"½": "<mfrac><mn>1</mn><mn>2</mn></mfrac>", "∇": "<mi>∇</mi>", "∂": "<mi>∂</mi>", "∞": "<mi>∞</mi>"}
COMBINING = "\u0300-\u036f"
FENCE = '<mo fence="true" stretchy="{}">'
TOKEN = re.compile(
    r"(?P<gap> +)|(?P<number>\d+(?:\.\d+)*)"
    r"|(?P<word>(?:[a-z]+-)*[A-Za-z]{3,}|\bln\b|(?<= )(?:is|at|of|or|to|on|no|up|by|in|if|it|as)(?= ))"
    rf"|(?P<letter>[^\W\d_½{SUPER_AND_SUB}][{COMBINING}]*)|(?P<other>.)"
)
SIGNS = re.compile(r"[∂∇Σ∫√²³⟨⟩ᵀ₀½α-ωΓ-Ω−]|·[A-Za-z]|\b[A-Za-z]_[a-z]|\bdiv\(")
CODE = re.compile(r"\.(?:py|cu|cuh|json|md|h5|npz)\b|\w\(\)|[`\"$#@\\%]|--|\w\w_\w+_\w|=\w+,")
BLOCK = re.compile(r'<div class="highlight"><pre>(?:<span></span>)?<code>(.*?)</code></pre></div>', re.DOTALL)
SPAN = re.compile(r"<code>([^<]*)</code>")


def with_equations(html: str) -> str:
    """A page's HTML with what is an equation among its code as MathML."""

    def block(found: re.Match[str]) -> str:
        lines = [line for line in unescape(found[1]).splitlines() if line.strip()]
        return display(lines) if all(map(is_equation, lines)) else found[0]

    def span(found: re.Match[str]) -> str:
        text = unescape(found[1])
        return f"<math>{mathml(text)}</math>" if is_equation(text) else found[0]

    parts = re.split(r"(<pre.*?</pre>)", BLOCK.sub(block, html), flags=re.DOTALL)
    return "".join(part if part.startswith("<pre") else SPAN.sub(span, part) for part in parts)


def is_equation(text: str) -> bool:
    """Whether code is one: it has signs of mathematics, and nothing of a program."""
    return bool(SIGNS.search(text)) and not CODE.search(text)


def display(lines: list[str]) -> str:
    """Lines below each other, in the middle of the page."""
    rows = "".join(f"<mtr><mtd>{mathml(line.strip())}</mtd></mtr>" for line in lines)
    table = f'<mtable columnalign="left" displaystyle="true" rowspacing="0.6em">{rows}</mtable>'
    return f'<div class="equation"><math display="block">{table}</math></div>'


def mathml(text: str) -> str:
    """One line of an equation as a row of MathML."""
    return _Line(text).row("")


class _Line:
    """Reads a line from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens = [(found.lastgroup or "", found[0]) for found in TOKEN.finditer(text)]
        self._at = 0

    def row(self, closing: str) -> str:
        """Up to ``closing``, which is taken along."""
        product: list[str] = []  # factors since the last operator
        done: list[str] = []
        while self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            if text == closing:
                self._at += 1
                break
            if kind == "gap":
                self._at += 1
                product.append(_gap(text))
            elif text == "/":
                self._at += 1
                product.append(self._divided(product, spaced=False))
            elif factor := self._run():
                product.append(factor)
            else:
                self._at += 1
                done += [*product, f"<mo>{escape('−' if text == '-' else text)}</mo>"]
                product.clear()
            if self._next_is_spaced_stroke():
                self._at += 2
                product[:] = [self._divided(product, spaced=True)]
        return f"<mrow>{''.join([*done, *product])}</mrow>"

    def _next_is_spaced_stroke(self) -> bool:
        ahead = [text for _, text in self._tokens[self._at : self._at + 3]]
        return len(ahead) == 3 and ahead[0].isspace() and ahead[1] == "/" and ahead[2].isspace()

    def _divided(self, product: list[str], spaced: bool) -> str:
        before = ""
        if spaced:
            self._at += 1
            while product and product[0].startswith("<mspace"):
                before += product.pop(0)
            above = _bare("".join(product))
        else:
            above = _bare(product.pop() if product else "")
        return f"{before}<mfrac>{above}{_bare(self._run())}</mfrac>"

    def _run(self) -> str:
        """Factors that stand together; empty where none begins here."""
        found: list[str] = []
        while self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            factor = self._factor(kind, text)
            if factor is None:
                break
            found.append(self._scripts(factor))
            if text in FUNCTIONS and self._peek("gap"):
                self._at += 1
                found.append(_gap(" "))
        return found[0] if len(found) == 1 else f"<mrow>{''.join(found)}</mrow>" if found else ""

    def _factor(self, kind: str, text: str) -> str | None:
        if text in CLOSING and not (text == "|" and self._inside_bars):
            return self._group(text)
        if kind == "word":
            return self._word(text)
        simple = {"number": f"<mn>{text}</mn>", "letter": f"<mi>{text}</mi>"}.get(kind) or SIMPLE.get(text)
        if text in LARGE or text == "√" or simple is not None:
            self._at += 1
        if text == "√":
            return f"<msqrt>{_bare(self._single())}</msqrt>"
        return LARGE.get(text, simple)

    _inside_bars = False

    def _group(self, opening: str) -> str:
        self._at += 1
        bars, self._inside_bars = self._inside_bars, opening == "|"
        inner = self.row(CLOSING[opening])
        self._inside_bars = bars
        if opening == "{":
            return inner
        fence = FENCE.format(str(any(tall in inner for tall in TALL)).lower())
        left, right = (f"{fence}{sign}</mo>" for sign in (opening, CLOSING[opening]))
        return f"<mrow>{left}{inner}{right}</mrow>"

    def _single(self) -> str:
        """One factor with what hangs on it."""
        if self._at >= len(self._tokens):
            return "<mrow></mrow>"
        kind, text = self._tokens[self._at]
        factor = self._factor(kind, text)
        return "<mrow></mrow>" if factor is None else self._scripts(factor)

    def _scripts(self, base: str) -> str:
        """``base`` with its subscripts and superscripts."""
        below = above = ""
        while self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            if text == "_":
                self._at += 1
                below += ("<mo>,</mo>" if below else "") + self._script()
            elif text == "^":
                self._at += 1
                above = self._script()
            elif text in SUPER:
                if text == "*" and self._text(1).isspace() and self._text(-1).isspace():
                    break
                above += f"<mo>{SUPER[text]}</mo>" if text in "⁺⁻*'" else f"<mn>{SUPER[text]}</mn>"
                self._at += 1
            elif text in SUB or (kind == "number" and re.fullmatch(r"<mi>[a-z]</mi>", base) and not below):
                below += f"<mn>{SUB.get(text, text)}</mn>"
                self._at += 1
            else:
                break
        large = base in LARGE.values()
        parts = [base, *(f"<mrow>{part}</mrow>" for part in (below, above) if part)]
        kind = ("munder" if large else "msub") if not above else "msup" if not below else "msubsup"
        return base if len(parts) == 1 else f"<{kind}>{''.join(parts)}</{kind}>"

    def _script(self) -> str:
        """What follows ``_`` or ``^``: what is in braces or parentheses, or letters and digits that stand together."""
        opening = self._text(0)
        if opening in ("{", "("):
            self._at += 1
            return self.row(CLOSING[opening])
        found = ""
        while self._peek("letter") or self._peek("word") or self._peek("number") or self._text(0) in ("-", "−", "½"):
            kind, text = self._tokens[self._at]
            name = {"number": "mn", "letter": "mi", "word": "mi"}.get(kind, "mo")
            found += SIMPLE.get(text) or f"<{name}>{text.replace('-', '−')}</{name}>"
            self._at += 1
        return found

    def _word(self, text: str) -> str:
        self._at += 1
        if text in FUNCTIONS or self._text(0) in ("(", "_", "^", "²"):
            return f"<mi>{text}</mi>"
        before = " " if self._text(-2).isspace() else ""
        return f"<mtext>{before}{text}{' ' if self._peek('gap') else ''}</mtext>"

    def _peek(self, kind: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][0] == kind

    def _text(self, ahead: int) -> str:
        at = self._at + ahead
        return self._tokens[at][1] if 0 <= at < len(self._tokens) else " "


def _gap(spaces: str) -> str:
    return f'<mspace width="{2 if len(spaces) > 2 else 0.25}em"></mspace>'


def _bare(row: str) -> str:
    """A group above or below a line needs no brackets of its own."""
    fence = FENCE.format("(?:true|false)")
    outer = re.fullmatch(rf"<mrow>{fence}[(\[]</mo>(.*){fence}[)\]]</mo></mrow>", row)
    if outer and _balanced(outer[1]):
        return outer[1]
    return row if row.startswith("<mrow>") and _balanced(row[6:-7]) else f"<mrow>{row}</mrow>"


def _balanced(inner: str) -> bool:
    """Whether every row of ``inner`` ends in it."""
    depth = 0
    for found in re.finditer(r"<(/?)mrow>", inner):
        depth += -1 if found[1] else 1
        if depth < 0:
            return False
    return depth == 0
