package loop

import "time"

// DefaultLease is how long a run may be without a sign of life before another node takes it over.
const DefaultLease = time.Minute

// HandOver is how long a node that ends tries to leave a run in order.
const HandOver = 2 * time.Second
