import { nodeVersions } from '../../bin/install-node.js'
import { importingProgram, printedTwice, requiringProgram } from './programs.js'
import type { Row } from './row.js'

const node = { tool: 'Node.js', install: [], expected: printedTwice } as const

/** Supported versions of Node.js. */
export const nodeRows: readonly Row[] = nodeVersions.flatMap((version) => [
  {
    ...{ ...node, version, node: version, form: '`import`' },
    ...{ files: importingProgram, command: 'node program.mjs' },
  },
  {
    ...{ ...node, version, node: version, form: '`require`' },
    ...{ files: requiringProgram, command: 'node program.cjs' },
  },
])
