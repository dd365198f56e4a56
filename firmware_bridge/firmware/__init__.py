"""What runs on the seat board, under MicroPython; nothing here runs on the Pi but in tests."""
