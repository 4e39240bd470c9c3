package installation

// Stream is the stream of what is decided for all workflows at once.
const Stream = "admin"

// Subject is the subject of its events: they belong to no workflow.
const Subject = "installation"
