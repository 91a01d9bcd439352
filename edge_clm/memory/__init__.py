"""What is kept: captures, pages, snapshots."""
