"""Reports as others read them: one page, made of a JSON report, in every format.

``reading`` takes a document, ``kinds`` makes a page of one, ``comparing`` of the difference of two,
``formats`` writes a page out, ``merging`` makes one run of several parts. Nothing here asks a runner.
"""
