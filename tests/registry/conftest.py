"""What the tests of the registry share with the contract's."""

from tests.contract.conftest import few

__all__ = ["few"]
