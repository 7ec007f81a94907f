/** Runs of `concordat conform`: one process loads the suite for all files. */
import { loadParts } from '../../support/load-in-test.js'

await loadParts(
  () => import('./foreign.js'),
  () => import('./moving-head.js'),
  () => import('./programs.js'),
  () => import('./streamed.js'),
  () => import('./verdicts.js'),
)
