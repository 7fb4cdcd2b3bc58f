"""The import page: what is in files, what each part of them is, and what samples that makes."""
