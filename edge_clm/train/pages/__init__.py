"""Made-up documents with ground truth: invoices, receipts, laboratory and radiology reports."""
