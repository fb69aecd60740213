"""The version of this release: that of the package, and the one that processes report."""

VERSION = "0.2.0"
