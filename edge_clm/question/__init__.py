"""What is being asked."""
