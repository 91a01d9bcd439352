"""What a page says: its text, and where it stands."""
