/** Accounts and operators of a service with mail. The parts share one service. */
import { loadParts } from '../support/load-in-test.js'

await loadParts(
  () => import('./dashboard/mail.js'),
  () => import('./dashboard/administration.js'),
  () => import('./dashboard/first-answer.js'),
)
