"""Tells what an audit found: to people in lines, to programs as a JSON document."""

from conformance.check.reporting.document import SCHEMA, as_json
from conformance.check.reporting.lines import Shown, finding_text, report_lines

__all__ = ["SCHEMA", "Shown", "as_json", "finding_text", "report_lines"]
