"""A report is read the same way wherever it is read: by a page, by a matrix."""

import pytest

from conformance.publishing.reading import PublishingError, document_of
from conformance.report.kept import parsed_report


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_no_number_of_a_report_is_not_finite(number: str) -> None:
    content = b'{"schema": "urn:harbor-conformance:run-report:1", "seconds": %s}' % number.encode()
    with pytest.raises(ValueError, match=r"NaN|-Infinity|1e999"):
        parsed_report(content)
    with pytest.raises(PublishingError, match="the file is not JSON that can be read"):
        document_of(content, "the file")


def test_an_int_that_python_does_not_take_is_its_text() -> None:
    assert parsed_report(b'{"value": %s}' % (b"7" * 4_500)) == {"value": "7" * 4_500}
    assert parsed_report(b'{"value": -%s}' % (b"7" * 4_300)) == {"value": int("-" + "7" * 4_300)}
