import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolve } from 'import-meta-resolve'
import type { Emit, EmitterOptions, EmitterPlugin } from '../../toolkit/codegen/index.js'
import { UsageError } from '../io.js'

/** An emitter plug-in to load. */
export interface EmitterReference {
  /** The name of a package, or a path that starts with `.` or `/`. */
  readonly use: string
  readonly options?: EmitterOptions
}

/**
 * Loads an emitter plug-in: a module that exports a function `emit`.
 * @param folder the folder that paths and packages are resolved from
 * @param refuse creates the error, which may name the line of a configuration file
 * @throws the error of `refuse` when the module is missing, fails, or exports no function `emit`
 */
export async function loadEmitter(
  { use, options = {} }: EmitterReference,
  folder: string,
  refuse = (message: string) => new UsageError(message),
): Promise<EmitterPlugin> {
  const fail = (message: string) => refuse(`emitter ${use}: ${message}`)
  const module: { readonly emit?: unknown } = await Promise.resolve()
    .then(() => import(resolve(use, pathToFileURL(join(folder, 'noname.js')).href)))
    .catch((cause: unknown) => {
      const hint = /^[./]/.test(use) ? '' : '. A path starts with ./ or /'
      throw fail(`cannot be loaded: ${cause instanceof Error ? cause.message : cause}${hint}`)
    })
  if (typeof module.emit !== 'function') throw fail('exports no function "emit"')
  return { name: use, emit: module.emit as Emit, options }
}
