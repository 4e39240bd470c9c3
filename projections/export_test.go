package projections

// UsageQuery is for the test that looks how it is carried out.
var UsageQuery = usageQuery
