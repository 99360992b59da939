"""An evaluation: metrics measured one after another, their failures caught."""
