import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type CodePathName, codePathNames } from './code-paths.js'

/** The file with the allowed code paths. */
export const allowedCodePathsFile = new URL('code-paths.json', import.meta.url)

/** The source files that one code path may pass through. */
export interface AllowedCodePath {
  /** The record in `docs/decisions/` that says why the code path may be that long. */
  readonly decision: string
  /**
   * Base names, sorted. Only their number is compared, so files may be renamed and moved. The names show which files a
   * longer code path has gained.
   */
  readonly files: readonly string[]
}

/** The content of `lab/bench/code-paths.json`. */
export interface AllowedCodePaths {
  readonly about: string
  readonly codePaths: Readonly<Record<CodePathName, AllowedCodePath>>
}

/** Reads `lab/bench/code-paths.json`. */
export const readAllowedCodePaths = (): AllowedCodePaths =>
  JSON.parse(readFileSync(allowedCodePathsFile, 'utf8'))

/**
 * Compares a code path with the allowed one.
 * @param files the source files of the code path
 * @returns the difference; undefined for code paths that are as long as allowed
 */
export function compareCodePath(
  name: CodePathName,
  allowed: AllowedCodePath,
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
      ? '  Shorten the code path (`npm run measure -- --files` lists its files), or say in a record in docs/decisions/ why it ' +
        'has to be longer, and allow it by `npm run measure -- --write --decision FILE`.'
      : '  The code path is shorter: `npm run measure -- --write` makes this the allowed number.',
  ]
  return { isLonger, text: lines.join('\n') }
}

/**
 * Returns the allowed code paths after a measurement. The allowed length of a code path grows only with a decision.
 * @param measured the source files of each code path
 * @param decision file name of the record in `docs/decisions/` that allows longer code paths
 */
export function updateAllowedCodePaths(
  { about, codePaths }: AllowedCodePaths,
  measured: Readonly<Record<CodePathName, readonly string[]>>,
  decision: string | undefined,
): AllowedCodePaths {
  const update = (name: CodePathName): AllowedCodePath => {
    const before = codePaths[name]
    const files = namesOf(measured[name])
    if (files.length <= before.files.length) return { ...before, files }
    return decision === undefined ? before : { decision, files }
  }
  const [request, generate, conformanceCase] = codePathNames
  return {
    about,
    codePaths: {
      [request]: update(request),
      [generate]: update(generate),
      [conformanceCase]: update(conformanceCase),
    },
  }
}

const namesOf = (files: readonly string[]): readonly string[] => files.map((file) => basename(file)).sort()

/** Removes one occurrence of each of the other names. */
function without(names: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others]
  return names.filter((name) => {
    const at = left.indexOf(name)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
