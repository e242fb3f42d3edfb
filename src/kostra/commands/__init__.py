"""The commands of the terminal, by what they work on: each parses, calls one public function, and prints."""
