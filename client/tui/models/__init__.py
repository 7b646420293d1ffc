"""The state behind the screens, without any drawing."""
