import type { Fault } from 'concordat/conformance'
import { batchFaults } from './batch.js'
import { blockFaults } from './blocks.js'
import { callFaults } from './calls.js'
import { envelopeFaults } from './envelope.js'
import { estimateFaults } from './estimate.js'
import { hashingFaults } from './hashing.js'
import { httpFaults } from './http.js'
import { identityFaults } from './identity.js'
import { keyFaults } from './keys.js'
import { logsFilterFaults } from './logs-filter.js'
import { logsLimitsFaults } from './logs-limits.js'
import { lookupFaults } from './lookups.js'
import { paramsFaults } from './params.js'
import { quotaFaults } from './quota.js'
import { receiptFaults } from './receipts.js'
import { sizeFaults } from './sizes.js'
import { stateFaults } from './state.js'
import { transactionFaults } from './transactions.js'

/** All faults. Each is a mistake that an implementation of the contract could make. */
export const faults: readonly Fault[] = [
  ...lookupFaults,
  ...blockFaults,
  ...transactionFaults,
  ...receiptFaults,
  ...logsFilterFaults,
  ...logsLimitsFaults,
  ...stateFaults,
  ...callFaults,
  ...estimateFaults,
  ...sizeFaults,
  ...identityFaults,
  ...hashingFaults,
  ...envelopeFaults,
  ...paramsFaults,
  ...batchFaults,
  ...httpFaults,
  ...keyFaults,
  ...quotaFaults,
]
