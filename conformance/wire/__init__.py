"""The wire format: messages, numbers and their spellings, text made safe to show."""
