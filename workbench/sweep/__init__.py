"""A problem run again and again with other numbers: what is varied, the runs, and the table and curves of them all.

``numbers`` finds what can be varied, ``plan`` says which cases there are, ``running`` runs one after the other,
``workers`` several at once (``cluster`` starts them, ``task`` is what they do), ``kept`` keeps what is through,
``table`` and ``files`` put together what came out. Works for any engine and knows no window.
"""
