package placard

// Version of this library, which each request names.
const Version = "0.2.0"

const client = "go/" + Version
