/** What the client follows on a chain whose blocks the test mines and reverts. */
import { loadParts } from '../../support/load-in-test.js'

await loadParts(
  () => import('./chain/contracts.js'),
  () => import('./chain/decoded.js'),
  () => import('./chain/logs.js'),
  () => import('./chain/receipts.js'),
  () => import('./chain/recovery.js'),
  () => import('./chain/send.js'),
  () => import('./chain/watch.js'),
)
