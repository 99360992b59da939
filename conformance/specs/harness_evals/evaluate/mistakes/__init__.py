"""Known mistakes in an evaluation: metrics measured one after another, their failures caught."""
