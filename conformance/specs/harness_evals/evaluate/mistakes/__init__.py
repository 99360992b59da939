"""Known mistakes in this section: an evaluation: metrics measured one after another, their failures caught."""
