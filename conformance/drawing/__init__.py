"""Random values and texts, from which the sections build inputs."""
