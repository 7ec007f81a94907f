import type { Contract, JsonObject } from '../contract/index.js'
import type { GeneratedFile, Tool } from './generated-file.js'
import { headedFile } from './header.js'

/** What an emitter receives next to the contract: the members of `options` in the configuration. */
export type EmitterOptions = JsonObject

/**
 * The function `emit` of an emitter plug-in. It returns the files of a contract, always the same for the same contract
 * and options. Paths are relative to the output folder, with `/` as separator.
 */
export type Emit = (
  contract: Contract,
  options: EmitterOptions,
) => readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>

/** An emitter plug-in, and the name that messages use. */
export interface EmitterPlugin {
  readonly name: string
  readonly emit: Emit
  readonly options: EmitterOptions
}

/** An emitter failed, or returned files that cannot be written. */
export class EmitterError extends Error {
  override readonly name = 'EmitterError'
}

/**
 * Runs an emitter and starts each of its files with the header of generated files.
 * @throws EmitterError when the emitter throws, returns no list of files, or names a path that cannot be written
 */
export async function runEmitter(
  { name, emit, options }: EmitterPlugin,
  contract: Contract,
  tool: Tool,
): Promise<readonly GeneratedFile[]> {
  const fail = (message: string, cause?: unknown): EmitterError =>
    new EmitterError(`emitter ${name}: ${message}`, { cause })
  const files: unknown = await Promise.resolve()
    .then(() => emit(contract, options))
    .catch((cause: unknown) => {
      throw fail(thrownText(cause), cause)
    })
  if (!Array.isArray(files)) throw fail(`returned ${kindOf(files)} instead of a list of { path, content }`)
  const headed = files.map((file: unknown, at) => {
    if (!isFile(file)) throw fail(`file ${at} is not { path, content } with two strings`)
    const problem = pathProblem(file.path)
    if (problem !== undefined) throw fail(`the path "${file.path}" ${problem}`)
    const result = headedFile(file, { contract, tool })
    if (typeof result === 'string') throw fail(`${file.path}: ${result}`)
    return result
  })
  refuseTwice([{ name, files: headed }])
  return headed
}

/**
 * Refuses two files with one path. Upper and lower case count as equal, as on macOS and Windows.
 * @param outputs the files of each emitter
 * @throws EmitterError with the names of both emitters
 */
export function refuseTwice(
  outputs: readonly { readonly name: string; readonly files: readonly GeneratedFile[] }[],
): void {
  const owners = new Map<string, string>()
  for (const { name, files } of outputs) {
    for (const { path } of files) {
      const key = path.toLowerCase()
      const owner = owners.get(key)
      if (owner !== undefined) {
        const who = owner === name ? `emitter ${name} writes` : `the emitters ${owner} and ${name} both write`
        throw new EmitterError(`${who} ${path}${owner === name ? ' twice' : ''}`)
      }
      owners.set(key, name)
    }
  }
}

function isFile(file: unknown): file is GeneratedFile {
  if (typeof file !== 'object' || file === null) return false
  const { path, content } = file as Readonly<Record<string, unknown>>
  return typeof path === 'string' && typeof content === 'string'
}

/** Explains why a file cannot be written at a path. */
function pathProblem(path: string): string | undefined {
  const segments = path.split('/')
  if (path.startsWith('/') || /[\\:\p{Cc}]/u.test(path)) return 'is not relative, with / as separator'
  if (segments.includes('..')) return 'is outside the output folder'
  if (segments.some((segment) => segment === '' || segment === '.')) return 'has an empty part'
  if (segments[0] === 'dist' || segments.includes('node_modules')) {
    return 'is in dist or node_modules, which hold no generated files'
  }
  return undefined
}

function thrownText(cause: unknown): string {
  if (!(cause instanceof Error)) return `threw ${kindOf(cause)}: ${cause}`
  const place = /\n\s+at (.*)/.exec(cause.stack ?? '')?.[1]
  return `threw ${cause.name}: ${cause.message}${place === undefined ? '' : ` (at ${place})`}`
}

function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a value of type ${typeof value}`
}
