"""The file of what the window remembers: its own values come back, and nothing of a stranger's is carried out."""

from __future__ import annotations

import os

import pytest
from PySide6.QtCore import QByteArray, QSettings

from ui.settings import open_settings

INI = QSettings.Format.IniFormat


class Stranger:
    """Whose pickle makes a folder where it is read."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


@pytest.fixture
def pickled(tmp_path):
    """As Qt writes it, and the folder that reading it makes."""
    settings = QSettings(str(tmp_path / "stranger.ini"), INI)
    settings.setValue("theme", Stranger(str(tmp_path / "made")))
    settings.sync()
    text = (tmp_path / "stranger.ini").read_text("latin-1").partition("theme=")[2].strip()
    assert "PyObjectWrapper" in text
    return text, tmp_path / "made"


FORMS = {
    "plain": "theme={}", "quoted": 'theme="{}"', "escaped": "theme=\\x40{}", "octal": 'theme="\\100{}"',
    "second": "theme=a, {}", "second of bytes": "theme=@ByteArray(a), {}",
    "after quotes": 'theme="@ByteArray(a)", "{}"',
    "next line": "theme=\\\n{}", "within": 'theme="a\n",{}\nx="', "space": "theme= {}", "return": "theme=a\rtheme={}",
    "array": "[theme]\n1\\x={}\nsize=1", "quote in bytes": 'theme="@ByteArray(a\\\\", {} ")"', "joined": 'theme="" {}',
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_pickle_is_not_read(tmp_path, pickled, form):
    """A settings file from elsewhere had its code run by the start of the window."""
    text, made = pickled
    content = form.format(text.removeprefix("@") if "\\x40" in form or "\\100" in form else text)
    (tmp_path / "raw.ini").write_bytes(content.encode("latin-1"))
    (tmp_path / "window.ini").write_bytes(f"[ask]\nstarting%20over=false\n{content}\n".encode("latin-1"))
    settings = open_settings(tmp_path / "window.ini")
    assert settings.value("ask/starting over") == "false"
    assert [settings.value(key) for key in settings.allKeys()]
    assert not made.exists()
    raw = QSettings(str(tmp_path / "raw.ini"), INI)
    assert [raw.value(key) for key in raw.allKeys()]
    assert made.exists(), "else this form shows nothing"


def test_what_the_window_writes_comes_back(tmp_path):
    values = {
        "theme": "dark", "charts/open": True, "layout": QByteArray(bytes(range(256)) * 4),
        "geometry": QByteArray(b"a,b"),
        "folded": "meters,probes", "job": '--gpus=1 --time="8:00:00"; x', "host": "me@lab", "frames/megabytes": 512,
        "command": "/opt/my tools/workbench", "charts/battery/a b/c": "x,y", "ask/starting over": False, "empty": "",
        "place": "C:\\tools", "none": QByteArray(),
    }  # fmt: skip
    file = tmp_path / "window.ini"
    settings = open_settings(file)
    for key, value in values.items():
        settings.setValue(key, value)
    settings.sync()
    written = file.read_bytes()
    again = open_settings(file)
    assert file.read_bytes() == written
    for key, value in values.items():
        assert again.value(key) in (value, str(value).lower() if isinstance(value, bool) else str(value))


@pytest.mark.parametrize("content", [b"\xff\xfe\0\0", b"\0" * 5000, b"[" * 5000, b"@" * 3_000_000, b"a=1\nb\n"])
def test_nonsense_counts_as_nothing(tmp_path, content):
    (tmp_path / "window.ini").write_bytes(content)
    assert set(open_settings(tmp_path / "window.ini").allKeys()) <= {"a"}


def test_a_folder_in_its_place_is_no_settings(tmp_path):
    (tmp_path / "window.ini").mkdir()
    assert open_settings(tmp_path / "window.ini").allKeys() == []
