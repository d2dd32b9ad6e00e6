"""The studies of all engines in the Kernel Lab: what is shown of them exists, and their published figures fit them."""

import pytest

from engines.api.registry import engines
from tests.engines.lab_checks import check_published, check_shown

STUDIES = [study for engine in engines().values() for study in engine.studies()]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.id)
def test_what_is_shown_exists(study):
    check_shown(study)


@pytest.mark.parametrize("study", [study for study in STUDIES if study.published], ids=lambda study: study.id)
def test_published_figures_name_variants_cases_and_shapes(study):
    check_published(study)
