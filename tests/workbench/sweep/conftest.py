"""What tests of sweeps begin with."""

import pytest

from workbench.project.document import open_document


@pytest.fixture
def document(project):
    return open_document(project)
