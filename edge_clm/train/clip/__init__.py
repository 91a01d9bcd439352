"""Trains docclip, the small open_clip model by which pages are recalled."""
