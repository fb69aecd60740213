"""The version of this release: of the package, and of what processes report about themselves."""

VERSION = "0.1.0"
