"""What is decided, in pure functions: the standard library and pydantic, no clock, no I/O, no logging."""
