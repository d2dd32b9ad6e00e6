"""Help > Manual: every page of the manual can be read and found without a network."""

import re

import pytest
from PySide6.QtCore import QBuffer, Qt, QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument

from engines.api.errors import ProblemError
from ui.window.help.manual import pages
from ui.window.help.manual.page import PageView, _dress_table, fenced

LINKS = re.compile(r"!?\[[^\]]*\]\(([^)#\s:]+)(?:#[^)]*)?\)")


@pytest.fixture
def reader(opened, qtbot):
    qtbot.keyClick(opened, Qt.Key.Key_F1, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: opened.help.reader is not None and opened.help.reader.isVisible())
    return opened.help.reader


def test_it_opens_at_its_beginning_with_its_contents(reader):
    assert reader.page.toPlainText().startswith("Workbench")
    assert reader.shown == [page.title for page in pages.contents()]
    assert reader.tree.currentItem().text(0) == "Workbench"
    parts = [each for each in reader._items() if each.childCount()]
    assert any(each.parent() is not None for each in parts)
    for part in parts:  # what stands within them, and what is for who changes the program, is folded
        assert part.isExpanded() == (part.parent() is None and part.text(0) != "Contribute"), part.text(0)


def test_a_link_leads_to_its_page_and_back(reader, qtbot):
    assert not reader.back.isEnabled()
    reader.page.setSource(reader.page.source().resolved(QUrl("reference/files.md#spikesh5-and-spikesnpz")))
    assert reader.page.place == "reference/files.md"
    assert reader.tree.currentItem().text(0) == "Files of results"
    qtbot.waitUntil(lambda: reader.page.verticalScrollBar().value() > 0)
    qtbot.mouseClick(reader.back, Qt.MouseButton.LeftButton)
    assert reader.page.place == "index.md"


def test_words_find_pages_and_lead_to_the_first(reader, qtbot):
    qtbot.keyClicks(reader.line, "touchstone ports")
    qtbot.waitUntil(lambda: "Reference › Files of results" in reader.shown, timeout=30_000)
    assert len(reader.shown) < 15
    item = next(each for each in reader._items() if each.text(0) == "Reference › Files of results")
    qtbot.mouseClick(reader.tree.viewport(), Qt.MouseButton.LeftButton, pos=reader.tree.visualItemRect(item).center())
    assert reader.page.place == "reference/files.md"
    assert reader.page.textCursor().selectedText().lower() == "touchstone"
    reader.line.setText("zzzz")
    qtbot.waitUntil(lambda: reader.shown == [] and reader.tree.topLevelItemCount() == 1)
    reader.line.clear()
    qtbot.waitUntil(lambda: len(reader.shown) == len(pages.contents()))


def test_every_page_is_there_with_what_it_links_to():
    known = {page.place for page in pages.contents()} | set(pages.taken().values())
    for place in sorted(known):
        text = pages.text_of(place)
        assert text.lstrip().startswith("#"), place
        assert not re.search(r"^:::|--8<--", text, re.MULTILINE), place
        for target in LINKS.findall(re.sub(r"`[^`\n]*`|```.*?```", "", text, flags=re.DOTALL)):
            url = QUrl(f"manual:/{place}").resolved(QUrl(target)).path().removeprefix("/")
            assert url in known if url.endswith(".md") else pages.picture(url), f"{place}: {target}"


def test_a_page_that_is_not_there_is_told(reader):
    with pytest.raises(ProblemError, match=r"'docs/manual/lost.md' is not in this copy"):
        pages.text_of("lost.md")
    reader.page.open("lost.md")
    assert "is not in this copy" in reader.page.toPlainText()


def test_indented_code_gets_fences():
    assert fenced("Text\n\n    a = 1\n      b\n\n    c\n\nmore\n") == "Text\n\n```\na = 1\n  b\n\nc\n```\n\nmore\n"
    assert fenced("- item\n  goes on\n") == "- item\n  goes on\n"


@pytest.mark.parametrize(("head", "rows"), [("| a | b |", ["a", "c", "e"]), ("| | |", ["c", "e"])])
def test_a_table_without_a_head_has_no_empty_row(qapp, head, rows):
    document = QTextDocument()
    document.setMarkdown(f"{head}\n|---|---|\n| c | d |\n| e | f |\n")
    (table,) = document.rootFrame().childFrames()
    _dress_table(table, QColor("red"))
    assert [table.cellAt(row, 0).firstCursorPosition().block().text() for row in range(table.rows())] == rows
    look = table.format().toTableFormat()
    assert (look.border(), look.cellSpacing(), look.borderCollapse()) == (1, 0, True)
    assert look.borderBrush().color() == QColor("red")


def test_pictures_are_found_beside_their_page_and_as_wide_as_there_is_room(qtbot, monkeypatch):
    asked, given = [], []
    page = PageView()
    qtbot.addWidget(page)
    page.resize(700, 500)
    page.place = "guide/first.md"

    def picture(place):
        asked.append(place)
        data = QBuffer()
        QImage(given[-1], 50, QImage.Format.Format_RGB32).save(data, "PNG")
        return data.data()

    monkeypatch.setattr(pages, "picture", picture)
    room = page.viewport().width() - 2 * 24 - 24
    for wide, shown in ((100, 100), (room, room), (2000, room)):
        given.append(wide)
        assert page.loadResource(QTextDocument.ResourceType.ImageResource.value, "../images/a.png").width() == shown
    page.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl("manual:/images/b.png"))
    assert asked == ["images/a.png"] * 3 + ["images/b.png"]
