import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { JsonObject } from '../../rpc/index.js'
import { buildFixture, buildScenario } from './build-scenario.js'
import type { Fixture, Scenario } from './scenario.js'
import { ScenarioError } from './scenario-error.js'

/** What a folder of scenarios holds. */
export interface LoadedScenarios {
  readonly scenarios: Scenario[]
  readonly fixtures: Fixture[]
}

/**
 * Loads all scenarios and fixtures below a folder; `known/` holds no scenarios and is left out.
 * @throws ScenarioError with every problem of every file
 */
export async function loadScenarios(
  folder: string,
  options: { readonly builtIn: boolean },
): Promise<LoadedScenarios> {
  const files = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new ScenarioError([{ file: folder, line: 1, column: 1, message: 'there is no such folder' }], {
      cause,
    })
  })
  const scenarios: Scenario[] = []
  const fixtures: Fixture[] = []
  for (const file of files.filter((name) => name.endsWith('.yaml') && !name.startsWith('known/')).sort()) {
    const document = parse(await readFile(join(folder, file), 'utf8')) as JsonObject
    const id = file.replace(/\.yaml$/, '')
    const source = { file, line: 1 }
    if (id.startsWith('fixtures/')) fixtures.push(buildFixture(document, { name: id.slice(9), source }))
    else scenarios.push(buildScenario(document, { id, builtIn: options.builtIn, origin: 'file', source }))
  }
  return { scenarios, fixtures }
}
