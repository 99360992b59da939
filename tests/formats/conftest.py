"""What the tests of formats share with those of pages."""

from tests.pages.conftest import examples, pages, written

__all__ = ["examples", "pages", "written"]
