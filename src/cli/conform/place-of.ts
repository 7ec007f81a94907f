import { existsSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import type { Scenario } from '../../judge/index.js'
import type { Place, PlaceOf } from '../../judge/report/index.js'
import type { Suite } from './conform-suite.js'

/**
 * Creates the lookup of the line that a failure is about: in the case file if the user wrote it and one of its
 * expectations failed, otherwise in the contract. Lines of installed packages are never returned.
 */
export function createPlaceOf({ scenarios, placeIn }: Pick<Suite, 'scenarios' | 'placeIn'>): PlaceOf {
  const sources = new Map(scenarios.map((scenario) => [scenario.id, scenario]))
  return ({ id, violated }, { pointer }) => {
    const written = writtenPlace(sources.get(id))
    if (written !== undefined && violated?.isAlone !== true) return written
    const stated = pointer === undefined ? undefined : placeIn?.(pointer)
    return (stated && inProject(stated)) ?? written
  }
}

/** The cases of JSON-RPC 2.0 are in no file. */
function writtenPlace(scenario: Pick<Scenario, 'source' | 'origin'> | undefined): Place | undefined {
  const isWritten = scenario?.origin === 'file' && existsSync(scenario.source.file)
  return isWritten ? inProject(scenario.source) : undefined
}

/** Returns the place relative to the current folder. Undefined outside of it, and in packages. */
function inProject({ file: path, line }: Place): Place | undefined {
  const file = relative(process.cwd(), path)
  const folders = file.split(sep)
  const isOutside = folders[0] === '..' || isAbsolute(file) || folders.includes('node_modules')
  return isOutside ? undefined : { file, line }
}
