"""Known mistakes in this section: reward files: from what a verifier leaves behind to a trial's rewards."""
