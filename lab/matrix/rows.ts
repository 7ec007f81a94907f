import { bundlerRows } from './bundler-rows.js'
import { nextRows } from './next-rows.js'
import { nodeRows } from './node-rows.js'
import type { Row } from './row.js'
import { runtimeRows } from './runtime-rows.js'
import { testRunnerRows } from './test-runner-rows.js'
import { typescriptRows } from './typescript-rows.js'

/** Where the client of this service must run, in the order of docs/integrator.md. */
export const rows: readonly Row[] = [
  ...nodeRows,
  ...typescriptRows,
  ...testRunnerRows,
  ...nextRows,
  ...bundlerRows,
  ...runtimeRows,
]
