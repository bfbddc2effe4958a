"""The journal on disk: SQLAlchemy Core over one SQLite file, or over PostgreSQL with another URL."""
