"""Files that are called as people call things."""

from workbench.export.naming import file_stems


def test_names_that_differ_in_case_alone_are_two_files_on_all_systems():
    """To Windows and macOS the second was the first, which it took the place of."""
    names = ["line_Rim", "line_rim", "line_RIM", "line_é", "line_e\u0301", "line_a", "line_a"]
    stems = file_stems(names)
    assert list(stems.values()) == ["line_Rim", "line_rim-2", "line_RIM-3", "line_é", "line_é-2", "line_a"]
    assert file_stems(["a", "A", "A-2", "a-2"]) == {"a": "a", "A": "A-2", "A-2": "A-2-2", "a-2": "a-2-3"}


def test_no_name_leads_out_of_a_folder_or_into_a_stream():
    """``a:b`` is a part of the file ``a`` to Windows, which no folder shows."""
    stems = file_stems(["a:b", "a/b", 'a<>"|?*b', "..\\b", "a b_c-1.5"])
    assert list(stems.values()) == ["a-b", "a-b-2", "a-b-3", "..-b", "a b_c-1.5"]
