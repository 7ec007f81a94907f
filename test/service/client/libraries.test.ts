/** Clients of other authors, and ours as a provider of them: one process loads them all. */
import { loadParts } from '../../support/load-in-test.js'

await loadParts(
  () => import('./libraries/members.js'),
  () => import('./libraries/clients.js'),
  () => import('./libraries/provider.js'),
)
