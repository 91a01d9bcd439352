"""Fields and tables: rules over a page's words and where they stand, without pixels or models."""
