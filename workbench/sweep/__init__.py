"""A problem run again and again with other numbers: what is varied, the runs, and the table and curves of them all.

``numbers`` finds what can be varied, ``plan`` says which cases there are, ``running`` runs them one after the other,
``table`` and ``files`` put together what came out. Works for any engine and knows no window.
"""
