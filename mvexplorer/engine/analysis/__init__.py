"""What a picture is worth: is it real, where do two differ, what is this point."""
