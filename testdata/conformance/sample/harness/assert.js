function assert(is, message) { if (!is) throw new Test262Error(message); }
