"""What goes over the wire: messages, numbers and their spellings, text made safe to show."""
