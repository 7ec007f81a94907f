import { randomInt } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { exploredScenarios, withExploredForms } from '../../judge/index.js'
import { type GeneratedCase, idsText, type Report } from '../../judge/report/index.js'
import { exploredCase, exploredCases } from '../../toolkit/cases/index.js'
import { arrayMember, isObject, type JsonObject } from '../../toolkit/contract/index.js'
import { UsageError } from '../io.js'
import { type ConformOptions, coverageParts } from './conform-options.js'
import type { Suite } from './conform-suite.js'
import { assumedToRead } from './method-patterns.js'

/** Random seeds are smaller than this number. */
const seedMost = 1_000_000

/**
 * Adds the generated cases that the options ask for: those of `--explore`, or the one of `--replay`.
 * @throws UsageError when no method may be called, or a pattern of `--assume-read` matches none
 */
export function withExplored(suite: Suite, options: ConformOptions): Suite {
  const { explore, seed = randomInt(1, seedMost), replay } = options
  const { contract, checks } = suite
  const assumed = assumedToRead(options, contract)
  const mayCall = (method: string) => {
    const effect = checks.effects.get(method)
    return effect === 'read' || options.allow.has('write') || (effect === undefined && assumed(method))
  }
  const add = (document: Parameters<typeof exploredScenarios>[0]): Suite => ({
    ...suite,
    scenarios: [...suite.scenarios, ...withExploredForms(contract, exploredScenarios(document))],
  })
  if (replay?.startsWith('explored/')) {
    const found = exploredCase(contract, replay, mayCall)
    return found === undefined ? suite : add({ scenarios: [found] })
  }
  if (explore === undefined) return suite
  if (!contract.methods.some(({ name }) => mayCall(name))) {
    throw new UsageError(
      "--explore has no method to call: the contract does not state which methods only read. Name them with --assume-read, such as --assume-read 'get*'",
    )
  }
  return add(exploredCases(contract, { calls: explore, seed, mayCall }))
}

/**
 * Writes the smallest failing generated cases as case files.
 * @returns the paths of the files
 * @throws UsageError when a file cannot be written
 */
export async function saveShrunk({ cases }: Report, folder: string): Promise<readonly string[]> {
  const taken = new Set<string>()
  const files = cases.flatMap(({ id, generated }) => {
    if (generated?.shrunkIn === undefined) return []
    const document = savedCase(generated)
    const name = fileName(id, taken)
    taken.add(name)
    return [{ path: join(folder, 'explored', `${name}.yaml`), text: stringify(document, { lineWidth: 110 }) }]
  })
  try {
    for (const { path, text } of files) {
      await mkdir(join(folder, 'explored'), { recursive: true })
      await writeFile(path, text)
    }
  } catch (cause) {
    throw new UsageError(
      `--save ${folder}: the folder cannot be written (${(cause as NodeJS.ErrnoException).code})`,
      {
        cause,
      },
    )
  }
  return files.map(({ path }) => path)
}

/** Returns a generated case as the content of a file. A case that fails only with the second key requires that key. */
function savedCase({ case: { id: _, ...document }, form = {} }: GeneratedCase): JsonObject {
  const steps = arrayMember(document, 'steps').filter(isObject)
  const needs = form['key'] === undefined ? {} : { needs: [`${form['key']}-key`] }
  return {
    ...document,
    ...needs,
    steps: steps.map((step, at) => (at < steps.length - 1 ? step : { ...step, ...form })),
  }
}

/** Converts the id of a generated case to a name that case files may have, in lower case with hyphens. */
function fileName(id: string, taken: ReadonlySet<string>): string {
  const name = id
    .replace(/^explored\//, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
  const free = (number: number): string =>
    taken.has(`${name}-${number}`) ? free(number + 1) : `${name}-${number}`
  return taken.has(name) ? free(2) : name
}

/** Lists the parts of the contract whose coverage is below the required percentage, in words. */
export function coverageGaps(
  { coverage }: Report,
  required: ConformOptions['minimumCoverage'],
): readonly string[] {
  return coverageParts.flatMap((part) => {
    const least = required[part]
    const covered = coverage?.[part]
    if (least === undefined || covered === undefined || covered.seen * 100 >= least * covered.total) return []
    const { seen, total, never } = covered
    return [
      `${part}: ${seen} of ${total} covered, ${least} % required; never seen: ${idsText(never, namedMost)}`,
    ]
  })
}

/** Maximum number of uncovered parts in a message. */
const namedMost = 5
