"""Ads in audio content: plans of ad breaks, and playlists and files with the ads in them."""
