"""What every process needs: event loop, threads, tasks, back-off, supervision of children, folders, file locks."""
