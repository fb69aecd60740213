"""The fake edge: answers from a scenario file, for tests of apps and client libraries, without snapshot or store."""
