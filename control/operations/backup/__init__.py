"""Base backups of PostgreSQL, and a data folder that recovers from one to a point in time."""
