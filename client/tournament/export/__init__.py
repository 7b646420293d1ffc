"""Results for readers and programs: tables, a web page, plots, bundles, grades."""
