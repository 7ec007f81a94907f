import { createHash } from 'node:crypto'
import type { JsonValue } from '@concordat/rpc'
import {
  type Checks,
  createChecks,
  createListedMembers,
  type Fixture,
  type Invariants,
  jsonRpcScenarios,
  lawScenarios,
  loadFolders,
  loadIo,
  type Scenario,
  ScenarioError,
  type ScenarioFolder,
  scenariosOf,
  transportOf,
  withForms,
} from '../../judge/index.js'
import { derivedScenarios } from '../../toolkit/cases/index.js'
import {
  type Contract,
  ContractError,
  documentOf,
  documentPath,
  isServiceUrl,
  loadDocuments,
  readContract,
  type SourceDocument,
  sourcePositions,
} from '../../toolkit/contract/index.js'
import { contractFile, contractMessage } from '../contract-message.js'
import { UsageError } from '../io.js'
import { packagePath, readPackageFile } from '../package-file.js'

/** A contract and its cases. */
export interface Suite {
  readonly contract: Contract
  readonly checks: Checks
  /** SHA-256 of the contract's file in hex, or of all its files and their names if it has several. */
  readonly sha256: string
  /** All cases: those of files in file order, then those derived from the contract. */
  readonly scenarios: readonly Scenario[]
  readonly fixtures: readonly Fixture[]
  readonly invariants: Invariants
  readonly tool: { readonly name: string; readonly version: string }
  /** Returns the file and line of a JSON pointer into the contract. Undefined for a contract that is no file. */
  readonly placeIn?:
    | ((pointer: string) => { readonly file: string; readonly line: number } | undefined)
    | undefined
}

/** The sources of a suite. */
export interface SuiteOptions {
  /** An OpenRPC document: a file, a folder, or `-` for standard input. Defaults to the package's own. */
  readonly document?: string | undefined
  /**
   * Folders of scenarios; `shipped` is the package's own. Defaults to `shipped` for the package's own
   * contract.
   */
  readonly folders?: readonly string[] | undefined
  /** Additional tests in the format of ethereum/execution-apis. */
  readonly ioDir?: string | undefined
  /** Compares only members that the contract lists. Defaults to false. */
  readonly listedMembers?: boolean | undefined
  /** Allows fetching http and https documents that references name. Defaults to false. */
  readonly allowRemote?: boolean | undefined
  /** URL of the judged service. A program (`stdio:`) starts each run in the same state, so examples are exact. */
  readonly url?: string | undefined
}

/**
 * Loads a contract with its scenarios and the cases derived from it.
 * @param options the sources; by default the package's own contract and scenarios
 * @throws UsageError when a file is invalid
 */
export async function loadSuite(options: SuiteOptions = {}): Promise<Suite> {
  const { document, folders = [], ioDir, allowRemote, listedMembers = false, url } = options
  const { version } = JSON.parse((await readPackageFile('package.json')).toString('utf8')) as {
    version: string
  }
  const tool = { name: 'concordat', version }
  return usable(document ?? 'openrpc.json', async () => {
    const source = document ?? packagePath('openrpc.json')
    const { contract, texts, documents } = await read(source, allowRemote)
    const isOwn =
      texts.length === 1 && texts[0]?.text === (await readPackageFile('openrpc.json')).toString('utf8')
    const startsAlike = url !== undefined && transportOf(url) === 'program'
    const derived =
      isOwn && !startsAlike ? await ownDerived() : { scenarios: derivedScenarios(contract, startsAlike) }
    const written = await loadFolders(scenarioFolders(folders, isOwn))
    return {
      contract,
      checks: {
        ...createChecks(contract),
        listed: listedMembers ? createListedMembers(contract) : undefined,
      },
      sha256: digest(texts),
      scenarios: withForms(contract, [
        ...written.scenarios,
        ...(ioDir === undefined ? [] : await loadIo(ioDir, effectIn(contract))),
        ...jsonRpcScenarios(contract),
        ...scenariosOf(derived, 'generated/conformance.json'),
        ...lawScenarios(contract),
      ]),
      fixtures: written.fixtures,
      invariants: written.invariants,
      tool,
      placeIn: await placesIn(source, documents),
    }
  })
}

/** Returns the folders to load. Shipped fixtures and invariants are always included for the package's own contract. */
function scenarioFolders(names: readonly string[], isOwn: boolean): readonly ScenarioFolder[] {
  const shipped = { folder: packagePath('conformance'), builtIn: true }
  if (names.length === 0) return isOwn ? [shipped] : []
  const named = names.map((name) => (name === 'shipped' ? shipped : { folder: name, builtIn: false }))
  return isOwn && !named.includes(shipped) ? [...named, { ...shipped, fixturesOnly: true }] : named
}

/** Returns the effect of a method. Methods that the contract does not have count as read-only. */
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
  return { contract: readContract(documents), texts, documents: documents.all() }
}

async function placesIn(source: string, documents: readonly SourceDocument[]): Promise<Suite['placeIn']> {
  if (source === '-' || isServiceUrl(source)) return undefined
  const main = await documentPath(source)
  const find = sourcePositions(documents)
  return (pointer) => {
    const file = contractFile(main, documentOf(pointer))
    return isServiceUrl(file) ? undefined : { file, line: find(pointer).line }
  }
}

/** Hashes the main document, then the other files by name, so that the order of reading has no effect. */
function digest([own, ...others]: readonly FileText[]): string {
  const hash = createHash('sha256').update(own?.text ?? '')
  for (const { name, text } of others.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(`\0${name}\0${text}`)
  }
  return hash.digest('hex')
}

async function ownDerived(): Promise<JsonValue> {
  return JSON.parse((await readPackageFile('generated/conformance.json')).toString('utf8')) as JsonValue
}

/** Converts errors of contracts and scenarios to usage errors with their places. */
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

/** Formats the problems of scenario files and known failures, one line each. */
export function scenarioProblems({ problems }: ScenarioError): readonly string[] {
  return problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
}

/** Formats one problem as one line, and several as a list with their number. */
export function problemsText(what: string, problems: readonly string[]): string {
  const lines = problems.map((problem) => problem.replaceAll(/\s+/g, ' '))
  if (lines.length === 1) return `${what}: ${lines[0]}`
  return `${what}: ${lines.length} problems\n${lines.map((line) => `  ${line}`).join('\n')}`
}
