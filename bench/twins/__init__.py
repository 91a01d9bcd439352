"""Near twins of pages: one edit each, in the page's own print, and the page photographed anew."""
