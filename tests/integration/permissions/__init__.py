"""What everybody may do with the log and the views: stated by hand, and tried on servers that check."""
