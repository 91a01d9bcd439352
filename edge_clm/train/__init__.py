"""Everything that trains: never imported by the server or the command line."""
