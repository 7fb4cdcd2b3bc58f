"""Files of the user's work and preferences: sessions, with or without their data, and where the data is."""
