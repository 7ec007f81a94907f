import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { generateFiles } from '../codegen/index.js'
import {
  type Fixture,
  loadScenarios,
  type Scenario,
  ScenarioError,
  scenariosOf,
} from '../conformance/index.js'
import { type Contract, ContractError, parseContract, problemText } from '../contract/index.js'
import { readPackageFile } from '../gateway/package-file.js'
import type { JsonValue } from '../rpc/index.js'
import { UsageError } from './io.js'

/** What is tried: a contract and its cases. */
export interface Suite {
  readonly contract: Contract
  /** SHA-256 of the contract's file, hexadecimal. */
  readonly sha256: string
  /** All cases: those of files in the files' order, then those derived from the contract. */
  readonly scenarios: readonly Scenario[]
  readonly fixtures: readonly Fixture[]
  readonly tool: { readonly name: string; readonly version: string }
}

/**
 * The package's own contract with its scenarios, or another contract with the cases that are derived from it.
 * @param document an OpenRPC document; the package's own by default
 * @param folder scenarios for it; those of the package for its own contract, none for another by default
 * @throws UsageError where a file cannot be used
 */
export async function loadSuite(document: string | undefined, folder: string | undefined): Promise<Suite> {
  const own = await readPackageFile('openrpc.json')
  const bytes = document === undefined ? own : await readDocument(document)
  const isOwn = bytes.equals(own)
  const { version } = JSON.parse((await readPackageFile('package.json')).toString('utf8')) as {
    version: string
  }
  const tool = { name: 'concordat', version }
  return usable(async () => {
    const contract = parsed(bytes, document ?? 'openrpc.json')
    const derived = isOwn ? await ownDerived() : derivedFrom(contract, tool)
    const written =
      folder !== undefined
        ? await loadScenarios(folder, { builtIn: false })
        : isOwn
          ? await loadScenarios(packageFolder('conformance'), { builtIn: true })
          : { scenarios: [], fixtures: [] }
    return {
      contract,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      scenarios: [...written.scenarios, ...scenariosOf(derived, 'generated/conformance.json')],
      fixtures: written.fixtures,
      tool,
    }
  })
}

async function readDocument(path: string): Promise<Buffer> {
  return readFile(path).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'there is no such file' : `cannot be read (${cause.code})`
    throw new UsageError(`${path}: ${reason}`, { cause })
  })
}

function parsed(bytes: Buffer, name: string): Contract {
  try {
    return parseContract(bytes.toString('utf8'))
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(problemsText(name, cause.problems.map(problemText)), { cause })
  }
}

async function ownDerived(): Promise<JsonValue> {
  return JSON.parse((await readPackageFile('generated/conformance.json')).toString('utf8')) as JsonValue
}

function derivedFrom(contract: Contract, tool: Suite['tool']): JsonValue {
  const file = generateFiles(contract, tool).find(({ path }) => path === 'conformance.json')
  return JSON.parse(file?.content ?? '{"scenarios":[]}') as JsonValue
}

/** What stops scenarios from being used is told with file, line and column. */
async function usable<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof ScenarioError)) throw cause
    throw new UsageError(problemsText('scenarios', scenarioProblems(cause)), { cause })
  }
}

/** The problems of scenario files and of lists of known failures, one line each. */
export function scenarioProblems({ problems }: ScenarioError): readonly string[] {
  return problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
}

/** One problem in one line; several, one a line under their number. */
export function problemsText(what: string, problems: readonly string[]): string {
  const lines = problems.map((problem) => problem.replaceAll(/\s+/g, ' '))
  if (lines.length === 1) return `${what}: ${lines[0]}`
  return `${what}: ${lines.length} problems\n${lines.map((line) => `  ${line}`).join('\n')}`
}

/** A folder of the package, from the source and from dist/. */
function packageFolder(name: string): string {
  const [source, compiled] = ['../../', '../../../'].map((path) =>
    fileURLToPath(new URL(`${path}${name}`, import.meta.url)),
  ) as [string, string]
  return existsSync(source) ? source : compiled
}
