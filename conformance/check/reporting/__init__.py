"""Tells what an audit found: to people in lines, to programs as a JSON document."""

from conformance.check.reporting.document import SCHEMA, as_json
from conformance.check.reporting.lines import FEW, Shown, finding_text, page_head, report_lines

__all__ = ["FEW", "SCHEMA", "Shown", "as_json", "finding_text", "page_head", "report_lines"]
