"""What a printed value is: parsing and typed equality."""
