"""What the end-to-end tests share: building models, compiling, running, comparing."""
