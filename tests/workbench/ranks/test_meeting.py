"""Ranks that meet: those that do not fit together are refused in one sentence."""

import pytest

from engines.api.errors import WorkbenchError
from workbench.ranks.meeting import Presence, check_presences


def test_ranks_that_do_not_fit_together_are_refused_in_a_sentence():
    here = Presence("1.0", "problem", "host", "", "CPU")
    gpu = Presence("1.0", "problem", "host", "0000:01:00.0", "GPU")
    for others, said in (
        ([Presence("1.1", "problem", "node", "", "CPU")], "Rank 1 on node has Workbench 1.1, rank 0 on host has 1.0"),
        ([Presence("1.0", "another", "node", "", "CPU")], "Rank 1 on node has another problem than rank 0"),
        (
            [Presence("1.0", "", "node", "", "", "There is no file.")],
            "Rank 1 on node cannot take part: There is no file.",
        ),
        ([gpu], "Rank 1 on host has a GPU, and others have none"),
    ):
        with pytest.raises(WorkbenchError) as caught:
            check_presences([here, *others])
        assert said in str(caught.value)
    with pytest.raises(WorkbenchError, match="There are 2 ranks on host and 1 GPU for them"):
        check_presences([gpu, gpu])
    check_presences([gpu, Presence("1.0", "problem", "host", "0000:02:00.0", "GPU")])
    check_presences([gpu, Presence("1.0", "problem", "node", "0000:01:00.0", "GPU")])
