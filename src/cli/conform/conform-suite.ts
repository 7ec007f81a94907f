import { createHash } from 'node:crypto'
import { createSource } from '../../codegen/create-source.js'
import { emitConformance } from '../../codegen/emit-conformance.js'
import {
  type Checks,
  createChecks,
  type Fixture,
  jsonRpcScenarios,
  loadFolders,
  loadIo,
  type Scenario,
  ScenarioError,
  type ScenarioFolder,
  scenariosOf,
} from '../../conformance/index.js'
import { type Contract, ContractError } from '../../contract/index.js'
import { loadDocuments } from '../../contract/load/load-documents.js'
import { readContract } from '../../contract/model/read-contract.js'
import type { JsonValue } from '../../rpc/index.js'
import { packagePath, readPackageFile } from '../../util/package-file.js'
import { contractMessage } from '../contract-message.js'
import { UsageError } from '../io.js'

/** What is tried: a contract and its cases. */
export interface Suite {
  readonly contract: Contract
  readonly checks: Checks
  /** SHA-256 of the contract's file, hexadecimal; of all its files and their names where it has several. */
  readonly sha256: string
  /** All cases: those of files in the files' order, then those derived from the contract. */
  readonly scenarios: readonly Scenario[]
  readonly fixtures: readonly Fixture[]
  readonly tool: { readonly name: string; readonly version: string }
}

/** What a suite is loaded from. */
export interface SuiteOptions {
  /** An OpenRPC document: a file, a folder, or `-` for standard input; the package's own by default. */
  readonly document?: string | undefined
  /** Folders of scenarios, `shipped` for the package's own; by default those for its own contract, none for another. */
  readonly folders?: readonly string[] | undefined
  /** Tests in the form of ethereum/execution-apis, beside the others. */
  readonly ioDir?: string | undefined
  /** Fetch the http and https documents that references name; refused by default. */
  readonly allowRemote?: boolean | undefined
}

/**
 * The package's own contract with its scenarios, or another contract with the cases that are derived from it.
 * @throws UsageError where a file cannot be used
 */
export async function loadSuite(options: SuiteOptions = {}): Promise<Suite> {
  const { document, folders = [], ioDir, allowRemote } = options
  const { version } = JSON.parse((await readPackageFile('package.json')).toString('utf8')) as {
    version: string
  }
  const tool = { name: 'concordat', version }
  return usable(document ?? 'openrpc.json', async () => {
    const { contract, texts } = await read(document ?? packagePath('openrpc.json'), allowRemote)
    const isOwn =
      texts.length === 1 && texts[0]?.text === (await readPackageFile('openrpc.json')).toString('utf8')
    const derived = isOwn ? await ownDerived() : derivedFrom(contract, tool)
    const written = await loadFolders(scenarioFolders(folders, isOwn))
    return {
      contract,
      checks: createChecks(contract),
      sha256: digest(texts),
      scenarios: [
        ...written.scenarios,
        ...(ioDir === undefined ? [] : await loadIo(ioDir, effectIn(contract))),
        ...jsonRpcScenarios(contract),
        ...scenariosOf(derived, 'generated/conformance.json'),
      ],
      fixtures: written.fixtures,
      tool,
    }
  })
}

/** Cases of other folders may need what the shipped fixtures find, where these are for the same contract. */
function scenarioFolders(names: readonly string[], isOwn: boolean): readonly ScenarioFolder[] {
  const shipped = { folder: packagePath('conformance'), builtIn: true }
  if (names.length === 0) return isOwn ? [shipped] : []
  const named = names.map((name) => (name === 'shipped' ? shipped : { folder: name, builtIn: false }))
  return isOwn && !named.includes(shipped) ? [...named, { ...shipped, fixturesOnly: true }] : named
}

/** What the contract says that a method does; what it does not have only reads, as far as anybody knows. */
function effectIn({ methods }: Contract): (method: string) => 'read' | 'write' {
  const writing = new Set(
    methods.filter(({ extensions }) => extensions['x-effect'] === 'write').map(({ name }) => name),
  )
  return (method) => (writing.has(method) ? 'write' : 'read')
}

/** A file of the contract. */
interface FileText {
  readonly name: string
  readonly text: string
}

async function read(source: string, allowRemote: boolean | undefined) {
  const documents = await loadDocuments(source, { allowRemote })
  const texts = documents.all().map(({ name, text = '' }): FileText => ({ name, text }))
  return { contract: readContract(documents), texts }
}

/** The order in which files were read says nothing: others come by name behind the contract's own document. */
function digest([own, ...others]: readonly FileText[]): string {
  const hash = createHash('sha256').update(own?.text ?? '')
  for (const { name, text } of others.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    hash.update(`\0${name}\0${text}`)
  }
  return hash.digest('hex')
}

async function ownDerived(): Promise<JsonValue> {
  return JSON.parse((await readPackageFile('generated/conformance.json')).toString('utf8')) as JsonValue
}

function derivedFrom(contract: Contract, tool: Suite['tool']): JsonValue {
  const file = emitConformance(createSource(contract, tool))
  return JSON.parse(file?.content ?? '{"scenarios":[]}') as JsonValue
}

/** What stops contract or scenarios from being used is told with its place. */
async function usable<Value>(document: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ContractError) {
      throw new UsageError(await contractMessage(document, cause), { cause })
    }
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
