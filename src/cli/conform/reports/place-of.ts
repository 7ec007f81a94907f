import { isAbsolute, relative, sep } from 'node:path'
import type { BrokenRule, CaseResult, Scenario } from '../../../conformance/index.js'
import type { Suite } from '../conform-suite.js'
import type { FileReportOptions } from './file-report-options.js'

/** A file, relative to the current folder, and a line in it. */
export interface Place {
  readonly file: string
  readonly line: number
}

/**
 * Creates the lookup of what a failure is about: the line of the case file, if the user wrote the case and an
 * expectation of it failed, otherwise the line of the contract. It never leads into an installed package.
 */
export function createPlaceOf({
  scenarios,
  placeIn,
}: Pick<Suite, 'scenarios' | 'placeIn'>): FileReportOptions['placeOf'] {
  const sources = new Map(scenarios.map((scenario) => [scenario.id, scenario]))
  return ({ id, violated }: CaseResult, { pointer }: Pick<BrokenRule, 'pointer'>) => {
    const written = writtenPlace(sources.get(id))
    if (written !== undefined && violated?.isAlone !== true) return written
    const stated = pointer === undefined ? undefined : placeIn?.(pointer)
    return (stated && inProject(stated)) ?? written
  }
}

function writtenPlace(scenario: Pick<Scenario, 'source' | 'origin'> | undefined): Place | undefined {
  return scenario?.origin === 'file' ? inProject(scenario.source) : undefined
}

/** Returns the place relative to the current folder. Undefined outside of it, and in packages. */
function inProject({ file: path, line }: Place): Place | undefined {
  const file = relative(process.cwd(), path)
  const folders = file.split(sep)
  const isOutside = folders[0] === '..' || isAbsolute(file) || folders.includes('node_modules')
  return isOutside ? undefined : { file, line }
}
