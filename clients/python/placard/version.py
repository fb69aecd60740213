"""The version of this library, which each request names."""

VERSION = "0.2.0"
