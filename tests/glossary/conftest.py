from __future__ import annotations

import pytest

from qkv.content import content_folder
from qkv.glossary import Glossary, Index, build_index, load_glossary


@pytest.fixture(scope="session")
def glossary() -> Glossary:
    return load_glossary(content_folder("glossary"))


@pytest.fixture(scope="session")
def index(glossary: Glossary) -> Index:
    return build_index(glossary)
