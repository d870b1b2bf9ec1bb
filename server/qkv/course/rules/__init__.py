"""What `qkv lesson validate` proves: one file a subject, each rule a function that yields problems."""
