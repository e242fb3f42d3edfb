"""What is published: the dataset folder with its card."""
