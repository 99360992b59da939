"""What is behind the failures of a runner: changes of the reference that together give the runner's answers.

A runner is modelled as the reference with a few changes: known mistakes, and deviations generated from the
schema of the op (``conformance.deviations``), with constants read off the runner's own answers. Both are
``candidates``. Of each op the evidence is a ``case``, in which answers are compared place by place
(``deviation``). ``search`` looks for the composition that gives the runner's answers, fitted to a half of
them; ``findings`` holds it to all, right answers included; ``experiments`` try it on inputs that nobody asked
before, where the runner can be asked. ``todo`` makes the list, ``wording`` its lines, ``account`` is the
result; failures that nothing explains are put together by their ``symptoms``.

``evidence`` is what is judged, ``scratch`` a reference that makes mistakes by turns, ``known_answers`` what each
mistake answers to each vector (brought up to date by ``foretelling``).
"""
