"""A built-in metric whose constructor needs what JSON can't say."""

from harness_evals.metrics.llm_judge import dag


class Graph(dag.DAGMetric):
    def __init__(self, llm, **kwargs) -> None:
        verdicts = [dag.VerdictNode(True, 1.0), dag.VerdictNode(False, 0.0)]
        root = dag.BinaryJudgementNode("Is it right?", verdicts)
        super().__init__(llm, dag.DeepAcyclicGraph([root]), **kwargs)
