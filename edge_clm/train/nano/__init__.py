"""Training of nano: questions about generated pages, packed, learnt with LoRA."""
