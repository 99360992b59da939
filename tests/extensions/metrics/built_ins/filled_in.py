"""Built-in metrics whose constructors need what JSON can't say."""

from harness_evals.decision.base import BaseDecisionProvider
from harness_evals.decision.types import NoulQuestion
from harness_evals.metrics.composite.decision_composite import DecisionCompositeMetric
from harness_evals.metrics.llm_judge import dag


class Decisions(DecisionCompositeMetric):
    def __init__(self, provider: BaseDecisionProvider, **kwargs) -> None:
        question = NoulQuestion(instructions="Is it right?")
        part = {"name": "right", "weight": 1.0, "state_field": "output", "question": question}
        super().__init__(provider, [part], **kwargs)


class Graph(dag.DAGMetric):
    def __init__(self, llm, **kwargs) -> None:
        verdicts = [dag.VerdictNode(True, 1.0), dag.VerdictNode(False, 0.0)]
        root = dag.BinaryJudgementNode("Is it right?", verdicts)
        super().__init__(llm, dag.DeepAcyclicGraph([root]), **kwargs)
