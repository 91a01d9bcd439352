"""The vision-language model and its page states."""
