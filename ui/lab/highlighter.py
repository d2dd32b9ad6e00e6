"""Colours for the two languages that kernels are written in: CUDA C++ and Python."""

from __future__ import annotations

import re
from typing import Literal

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from ui.widgets.theme import theme

Language = Literal["cuda", "python", ""]
CUDA_WORDS = (
    "alignas|auto|bool|break|case|char|const|constexpr|continue|do|double|else|enum|extern|false|float|float2|float4|for|half|half2"
    "|if|inline|int|int32_t|int64_t|long|namespace|return|short|signed|sizeof|static|struct|switch|template|true|typedef"
    "|typename|uint32_t|unsigned|using|void|volatile|while|__half|__half2"
)
CUDA_SPECIAL = (
    "__global__|__device__|__host__|__shared__|__constant__|__restrict__|__forceinline__|__launch_bounds__|threadIdx|blockIdx"
    "|blockDim|gridDim|warpSize|__syncthreads|__syncwarp|__ldg|__stcs|__ldcs|__shfl\\w*|__pipeline\\w*|tex[123]D\\w*"
)
PYTHON_WORDS = (
    "and|as|assert|break|class|continue|def|del|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or"
    "|pass|raise|return|True|try|while|with|yield"
)
PYTHON_SPECIAL = "prange|njit|cuda|np|cp|numpy|cupy|range|len|self"
NUMBER = r"\b(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)[fFuUlL]*\b"
STRING = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"


class Highlighter(QSyntaxHighlighter):
    """Words, numbers, strings, comments; comments of several lines through the state of a block."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._language: Language = ""
        theme().changed.connect(self.rehighlight)

    def set_language(self, language: Language) -> None:
        if language != self._language:
            self._language = language
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        if not self._language:
            return
        colors = theme().palette
        cuda = self._language == "cuda"
        words, special = (CUDA_WORDS, CUDA_SPECIAL) if cuda else (PYTHON_WORDS, PYTHON_SPECIAL)
        self._paint(text, rf"\b(?:{words})\b", colors.trace(4))
        self._paint(text, rf"(?<!\w)(?:{special})\b", colors.trace(0))
        self._paint(text, NUMBER, colors.trace(1))
        if cuda:
            self._paint(text, r"^\s*#.*", colors.trace(3))
        else:
            self._paint(text, r"^\s*@[\w.]+", colors.trace(3))
        ends = list(re.finditer(rf"{STRING}|{'//' if cuda else '#'}.*", text)) if cuda or '"""' not in text else []
        for match in ends:
            comment = match.group().startswith("//" if cuda else "#")
            if not (cuda and not comment and text.lstrip().startswith("#")):
                self._set(match.start(), match.end(), colors.color("muted") if comment else colors.trace(2), comment)
        self._span(text, ("/*", "*/") if cuda else ('"""', '"""'))

    def _span(self, text: str, marks: tuple[str, str]) -> None:
        """Comments (docstrings) that go on over lines: state 1 inside of one."""
        opening, closing = marks
        inside = self.previousBlockState() == 1
        start = 0 if inside else text.find(opening)
        self.setCurrentBlockState(0)
        while start >= 0:
            end = text.find(closing, start if inside else start + len(opening))
            if end < 0:
                self.setCurrentBlockState(1)
                end = len(text)
            else:
                end += len(closing)
            self._set(start, end, theme().palette.color("muted"), True)
            inside = False
            start = text.find(opening, end)

    def _paint(self, text: str, pattern: str, color: QColor) -> None:
        for match in re.finditer(pattern, text):
            self._set(match.start(), match.end(), color)

    def _set(self, start: int, end: int, color: QColor, italic: bool = False) -> None:
        look = QTextCharFormat()
        look.setForeground(color)
        look.setFontItalic(italic)
        self.setFormat(start, end - start, look)
