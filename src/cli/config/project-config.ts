import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { ChosenNameError } from '../../toolkit/codegen/index.js'
import {
  ContractError,
  joinPointer,
  parseDocument,
  pointerTokens,
  positionsIn,
  validationProblem,
} from '../../toolkit/contract/index.js'
import { printable } from '../../toolkit/text/index.js'
import { UsageError } from '../io.js'
import { readPackageFile } from '../package-file.js'
import type { ConfigContent } from './config-content.js'

/** Name of a project's configuration file. */
export const configName = 'concordat.config.yaml'

/** The configuration of a project. */
export interface ProjectConfig extends ConfigContent {
  /** Paths in the configuration are relative to this folder. */
  readonly folder: string
  /** Creates an error that names the file and the line of a member, such as `lint.rules.0`. */
  readonly refusal: (tokens: readonly (string | number)[], message: string) => UsageError
}

/**
 * Reads the configuration of a project.
 * @param given the file of `--config`; undefined searches `folder` and the folders above it
 * @param folder the folder of the document, or the current folder
 * @returns an empty configuration if there is no file
 * @throws UsageError with file and line when the file is invalid
 */
export async function readConfig(given: string | undefined, folder: string): Promise<ProjectConfig> {
  const path = given ?? nearest(folder)
  return path === undefined
    ? { folder, refusal: (_, message) => new UsageError(message) }
    : parsed(path, await textOf(path))
}

/** Returns the nearest configuration file at or above a folder. The search ends at the root of a Git repository. */
function nearest(folder: string): string | undefined {
  for (let here = resolve(folder); ; here = dirname(here)) {
    const path = join(here, configName)
    if (existsSync(path)) return path
    if (existsSync(join(here, '.git')) || here === dirname(here)) return undefined
  }
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${shown(path)}: cannot be read (${cause.code})`, { cause })
  })
}

async function parsed(path: string, text: string): Promise<ProjectConfig> {
  const find = positionsIn(text)
  const refusal = (tokens: readonly (string | number)[], message: string) =>
    problem(path, find(joinPointer('#', ...tokens)), message)
  const content = /^\s*(#.*\s*)*$/.test(text) ? {} : readYaml(path, text, find)
  const validate = await validator()
  if (!validate(content)) {
    const messages = (validate.errors ?? []).map((error) => {
      const { pointer, message } = validationProblem(error)
      return problem(path, find(pointer), membersText(error) ?? placed(pointer, message)).message
    })
    throw new UsageError(messages.join('\n'))
  }
  return { ...(content as ConfigContent), folder: dirname(resolve(path)), refusal }
}

function readYaml(path: string, text: string, find: ReturnType<typeof positionsIn>): unknown {
  try {
    return parseDocument(text, path)
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    const [first] = cause.problems
    throw problem(path, first?.position ?? find(first?.pointer ?? '#'), first?.message ?? cause.message)
  }
}

let compiled: Promise<ValidateFunction> | undefined

/** Compiles the schema of the configuration once: one command may read several configurations. */
async function validator(): Promise<ValidateFunction> {
  compiled ??= readPackageFile('docs/concordat.config.schema.json').then((bytes) =>
    // ajv's optimizer takes a third of the compilation time. It pays off only for validators that run often.
    new Ajv({ allErrors: true, verbose: true, code: { optimize: false } }).compile(
      JSON.parse(bytes.toString('utf8')),
    ),
  )
  return compiled
}

/** Lists the known members if a member is unknown. */
function membersText({ keyword, params, parentSchema }: ErrorObject): string | undefined {
  if (keyword !== 'additionalProperties') return undefined
  const known = Object.keys(parentSchema?.['properties'] ?? {})
  return `unknown member "${params['additionalProperty']}": use ${known.join(', ')}`
}

function placed(pointer: string, message: string): string {
  const tokens = pointerTokens(pointer) ?? []
  return tokens.length === 0 ? message : `${tokens.join('.')}: ${message}`
}

function problem(
  path: string,
  at: { readonly line: number; readonly column: number },
  message: string,
): UsageError {
  return new UsageError(printable(`${shown(path)}:${at.line}:${at.column}: ${message}`))
}

function shown(path: string): string {
  const short = relative(process.cwd(), resolve(path))
  return short.startsWith('..') ? path : short
}

/**
 * Runs work that uses the chosen names of a project.
 * @throws UsageError with file and line for a chosen name that cannot be used
 */
export async function withProjectNames<Value>(
  config: ProjectConfig,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof ChosenNameError)) throw cause
    throw config.refusal(['generate', 'names', ...cause.path], cause.message)
  }
}
