import { isAbsolute, relative } from 'node:path'
import type { Scenario } from '../../../conformance/index.js'

/** Returns the file, relative to the current folder, and the line of a case. Derived cases have none. */
export function placeOf(scenario: Pick<Scenario, 'source' | 'origin'> | undefined) {
  if (scenario === undefined || scenario.origin !== 'file') return undefined
  const file = relative(process.cwd(), scenario.source.file)
  const isInProject = !file.startsWith('..') && !isAbsolute(file) && !file.startsWith('node_modules')
  return isInProject ? { file, line: scenario.source.line } : undefined
}
