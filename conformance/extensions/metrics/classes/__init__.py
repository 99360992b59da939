"""What the contracts of classes share: a process that loads one and asks it, and what follows from that."""
