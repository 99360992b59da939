"""Many subjects (releases, forks, commands, recorded reports) held to the same specs, next to each other."""
