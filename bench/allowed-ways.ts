import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type WayName, wayNames } from './ways.js'

/** The file with the allowed ways. */
export const allowedWaysFile = new URL('ways.json', import.meta.url)

/** The source files that one way may pass through. */
export interface AllowedWay {
  /** The record in `docs/decisions/` that says why the way may be that long. */
  readonly decision: string
  /**
   * Base names, sorted. Only their number is compared, so files may be renamed and moved; the names tell which ones a
   * longer way has gained.
   */
  readonly files: readonly string[]
}

/** The content of `bench/ways.json`. */
export interface AllowedWays {
  readonly about: string
  readonly ways: Readonly<Record<WayName, AllowedWay>>
}

/** Reads `bench/ways.json`. */
export const readAllowedWays = (): AllowedWays => JSON.parse(readFileSync(allowedWaysFile, 'utf8'))

/**
 * Compares a way with the allowed one.
 * @param files the source files of the way
 * @returns undefined for ways that are as long as allowed
 */
export function compareWay(
  name: WayName,
  allowed: AllowedWay,
  files: readonly string[],
): { readonly isLonger: boolean; readonly text: string } | undefined {
  if (files.length === allowed.files.length) return undefined
  const names = namesOf(files)
  const isLonger = files.length > allowed.files.length
  const lines = [
    `${name}: ${files.length} source files, and ${allowed.files.length} are allowed`,
    `  added: ${without(names, allowed.files).join(', ') || 'none'}`,
    `  gone: ${without(allowed.files, names).join(', ') || 'none'}`,
    isLonger
      ? '  Shorten the way (`npm run measure -- --files` lists its files), or say in a record in docs/decisions/ why it ' +
        'has to be longer, and allow it by `npm run measure -- --write --decision FILE`.'
      : '  The way is shorter: `npm run measure -- --write` makes this the allowed number.',
  ]
  return { isLonger, text: lines.join('\n') }
}

/**
 * The allowed ways after a measurement. A way that is longer than before needs a decision, and is otherwise kept.
 * @param measured the source files of each way
 * @param decision name of a record in `docs/decisions/` for the ways that are longer
 */
export function updateAllowedWays(
  { about, ways }: AllowedWays,
  measured: Readonly<Record<WayName, readonly string[]>>,
  decision: string | undefined,
): AllowedWays {
  const update = (name: WayName): AllowedWay => {
    const before = ways[name]
    const files = namesOf(measured[name])
    if (files.length <= before.files.length) return { ...before, files }
    return decision === undefined ? before : { decision, files }
  }
  const [request, generate, conformanceCase] = wayNames
  return {
    about,
    ways: {
      [request]: update(request),
      [generate]: update(generate),
      [conformanceCase]: update(conformanceCase),
    },
  }
}

const namesOf = (files: readonly string[]): readonly string[] => files.map((file) => basename(file)).sort()

/** The names without one occurrence of each of the others. */
function without(names: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others]
  return names.filter((name) => {
    const at = left.indexOf(name)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
