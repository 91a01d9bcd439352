"""Everything that trains: pages to learn from, captures of them, and the training itself; never imported by the server."""
