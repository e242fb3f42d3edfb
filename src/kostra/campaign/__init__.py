"""Who is asked what, when, and by which rules: pure logic without a web site."""
