"""The widgets that screens consist of, one per module."""
