"""From findings, criteria and the ledger to a recommendation. A person signs."""
