"""Running the site: what it counts, what it writes into its log, and how it says that it is well."""
