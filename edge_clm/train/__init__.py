"""Pages to learn from: made here, photographed by simulation; never part of the daemon."""
