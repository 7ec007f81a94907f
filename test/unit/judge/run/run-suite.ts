import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import type { Checks, RunOptions } from '../../../../src/judge/index.js'
import {
  contractTerms,
  createChecks,
  createRedactor,
  createSender,
  createTarget,
  type Effect,
  type KnownFailure,
  loadScenarios,
  runConformance,
  type Scenario,
  type Target,
} from '../../../../src/judge/index.js'
import { type Contract, parseContract } from '../../../../src/toolkit/contract/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { libraryContract } from './library-contract.js'

/** Scenario texts by file name. */
export type Files = Readonly<Record<string, string>>

/** Options that differ from the defaults. */
export interface RunSettings
  extends Partial<
    Pick<RunOptions, 'profile' | 'repeat' | 'signal' | 'onProgress' | 'onFound' | 'onReset' | 'functions'>
  > {
  readonly allow?: readonly Effect[]
  readonly budget?: number
  readonly concurrency?: number
  readonly known?: readonly KnownFailure[]
  readonly timeoutMilliseconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly secondUrl?: string
  readonly network?: string
  /** Cases in addition to those of the files. */
  readonly scenarios?: readonly Scenario[]
  /** Ids of the cases that run. All by default. */
  readonly only?: readonly string[]
  /** Replaces the library's contract. */
  readonly contract?: object
}

const libraries = new Map<string, { readonly contract: Contract; readonly checks: Checks }>()

/** The contract of a document and its checks, which compile each schema once per process. */
function libraryOf(document: object) {
  const text = JSON.stringify(document)
  const contract = libraries.get(text)?.contract ?? parseContract(text)
  const library = libraries.get(text) ?? { contract, checks: createChecks(contract) }
  libraries.set(text, library)
  return library
}

/** Writes scenario files into a new folder. */
export async function scenarioFolder(t: Test, files: Files): Promise<string> {
  const folder = await temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return folder
}

const loaded = new Map<string, Awaited<ReturnType<typeof loadScenarios>>>()

/** The scenarios of files, read once per process: many tests run the same ones. */
async function loadedOnce(t: Test, files: Files) {
  const key = JSON.stringify(files)
  const known = loaded.get(key) ?? (await loadScenarios(await scenarioFolder(t, files), { builtIn: false }))
  loaded.set(key, known)
  return known
}

/** Runs scenario files against a deployment with the library's contract. */
export async function runSuite(t: Test, url: string, files: Files, settings: RunSettings = {}) {
  const { scenarios: written, fixtures, invariants } = await loadedOnce(t, files)
  const scenarios = [...written, ...(settings.scenarios ?? [])]
  const { contract, checks } = libraryOf(settings.contract ?? libraryContract)
  const { networks, paths, limitErrors } = contractTerms(contract)
  const { secondUrl, network, allow = [], budget, concurrency = 1, headers = {} } = settings
  const target: Target = createTarget({ url, secondUrl, network, networks, paths })
  const allowed = new Set<Effect>(['read', ...allow])
  const sender = createSender({
    effects: checks.effects,
    methods: checks.methods,
    assumeRead: () => false,
    allow: allowed,
    budget,
    perSecond: undefined,
    concurrency,
    timeoutMilliseconds: settings.timeoutMilliseconds ?? 300_000,
    maximumBytes: 1_000_000,
    headers,
    limitErrors,
  })
  t.teardown(() => sender.close())
  return runConformance({
    tool: { name: 'concordat', version: '0.0.0' },
    contract,
    contractSha256: '00',
    scenarios: scenarios.filter(({ id }) => settings.only?.includes(id) !== false),
    fixtures,
    invariants,
    catalogue: scenarios,
    known: settings.known ?? [],
    target,
    sender,
    headers,
    checks,
    functions: settings.functions ?? {},
    redactor: createRedactor([...target.secrets, ...Object.values(headers)]),
    variables: new Map(),
    facts: new Set(),
    mode: { allowed, budget, perSecond: undefined, concurrency },
    repeat: settings.repeat,
    profile: settings.profile ?? new Map(),
    onFound: settings.onFound,
    onReset: settings.onReset,
    onProgress: settings.onProgress,
    signal: settings.signal,
  })
}
