"""What makes the documentation: the reference from the code, pictures from the running product, weights of extras."""
