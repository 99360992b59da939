"""Options and progress by their old address, until every command imports them from ``console``."""

from conformance.console.options import *  # noqa: F403
from conformance.console.progress import *  # noqa: F403
