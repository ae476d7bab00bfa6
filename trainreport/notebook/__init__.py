"""What a notebook shows: runs as read, runs as judged, runs side by side; each an object that draws and writes itself."""
