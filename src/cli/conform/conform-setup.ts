import { readFile } from 'node:fs/promises'
import {
  contractTerms,
  createRedactor,
  createTarget,
  type KnownFailure,
  matchesPattern,
  type Redactor,
  readKnownFailures,
  type Scenario,
  ScenarioError,
  type Selection,
  SelectionError,
  secretsOf,
  selectCases,
  type Target,
  TargetError,
} from '../../judge/index.js'
import { type CommandIo, UsageError } from '../io.js'
import { chosenInvariants } from './chosen-invariants.js'
import { type ConformOptions, conformDefaults } from './conform-options.js'
import { problemsText, type Suite, scenarioProblems } from './conform-suite.js'

/** Limits of a run. Undefined means no limit. */
export interface Bounds {
  readonly budget: number | undefined
  readonly perSecond: number | undefined
  readonly concurrency: number
}

/**
 * Selects the cases that the options name.
 * @param suite all cases
 * @param options patterns of `--only`, or the id of `--replay`
 * @throws UsageError when a pattern or id matches no case
 */
export function chosenCases(
  suite: Suite,
  options: Pick<ConformOptions, 'only'> & Partial<Pick<ConformOptions, 'replay' | 'url'>>,
): readonly Scenario[] {
  const { patterns } = chosenInvariants(suite, options)
  return casesIn(suite, { only: withGenerated(patterns, suite.scenarios), replay: options.replay })
}

/**
 * Selects cases alone, for commands that have no invariants.
 * @throws UsageError if a pattern or an id matches no case; names of invariants do not count
 */
export function casesIn({ scenarios }: Suite, selection: Selection): readonly Scenario[] {
  try {
    return selectCases(scenarios, selection)
  } catch (cause) {
    if (!(cause instanceof SelectionError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

/** Selects the generated cases as well, unless a pattern names some of them. */
function withGenerated(only: readonly string[], scenarios: readonly Scenario[]): readonly string[] {
  const generated = scenarios.filter(({ explored }) => explored === true)
  const within = only.filter((pattern) => !pattern.startsWith('!'))
  if (generated.length === 0 || within.length === 0) return only
  const isNamed = generated.some(({ id }) => within.some((pattern) => matchesPattern(pattern, id)))
  return isNamed ? only : [...only, 'explored/*']
}

/** The URLs of a service and its network. */
interface TargetOptions extends Partial<Pick<ConformOptions, 'keys' | 'secondKey' | 'revokedKey'>> {
  readonly url: string
  readonly network?: string | undefined
}

/**
 * Builds the target from the options.
 * @param options URLs and the network
 * @param suite the contract, which states networks and paths
 * @throws UsageError when a URL is invalid or the network is unknown
 */
export function targetOf(options: TargetOptions, suite: Pick<Suite, 'contract'>): Target {
  const { networks, paths } = contractTerms(suite.contract)
  const { url, secondKey: secondUrl, revokedKey: revokedUrl, keys: keyUrls, network } = options
  try {
    const target = createTarget({ url, secondUrl, revokedUrl, keyUrls, network, networks, paths })
    const names = Object.keys(networks)
    if (target.network === undefined && names.length > 0) {
      const choices = names.map((name) => `--network ${name}`).join(' or ')
      throw new UsageError(`the URL does not identify the network: add ${choices}`)
    }
    return target
  } catch (cause) {
    if (!(cause instanceof TargetError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

/** Reads the private key of an account that cases may spend from. */
function fundedKeyOf({ env }: CommandIo): string | undefined {
  const key = env['CONCORDAT_CONFORM_FUNDED_KEY']
  if (key === undefined || key === '') return undefined
  if (/^0x[0-9a-f]{64}$/i.test(key)) return key
  throw new UsageError('CONCORDAT_CONFORM_FUNDED_KEY must be a private key: 0x and 64 hex digits')
}

/** Secrets from the environment by variable name, and the facts that cases may require. */
export interface GivenSecrets {
  readonly variables: ReadonlyMap<string, string>
  readonly facts: readonly string[]
}

/**
 * Reads a funded private key and a JSON Web Token from the environment, if present.
 * @param io the environment
 * @throws UsageError when the private key is invalid
 */
export function givenSecrets(io: CommandIo): GivenSecrets {
  const fundedKey = fundedKeyOf(io)
  const token = io.env['CONCORDAT_CONFORM_TOKEN']
  const variables = new Map<string, string>()
  if (fundedKey !== undefined) variables.set('fundedKey', fundedKey)
  if (token !== undefined && token !== '') variables.set('token', token)
  const names: Readonly<Record<string, string>> = { fundedKey: 'funded-key', token: 'token' }
  return { variables, facts: [...variables.keys()].flatMap((name) => names[name] ?? []) }
}

/** Creates the redactor for all secrets of a run. */
export function redactorOf(
  target: Target,
  headers: Readonly<Record<string, string>>,
  { variables }: GivenSecrets,
): Redactor {
  // Output may contain a private key without its 0x prefix.
  const keyForms = [...variables.values()].flatMap((value) => [value, value.replace(/^0x/, '')])
  return createRedactor(secretsOf({ headers, values: [...target.secrets, ...keyForms] }))
}

/**
 * Creates a redactor for arguments that were not parsed yet: anything like a URL, a key or a header is a
 * secret.
 */
export function argumentRedactor(args: readonly string[], { env }: CommandIo): Redactor {
  const values = args.map((arg) => (arg.startsWith('-') ? arg.slice(arg.indexOf('=') + 1) : arg))
  const urls = values
    .filter((value) => value.includes('://'))
    .map((value) => value.replace(/^[a-z-]+=(?=https?:)/, ''))
  const keys = values.flatMap((value) => value.split(/[/?#&=@:,\s]/)).filter(looksLikeKey)
  const headers = Object.fromEntries(
    values.flatMap((value) => {
      const [, name, content] = /^([\w-]+):\s*(.+)$/.exec(value) ?? []
      const isTarget = content?.startsWith('//') || /^stdio$/i.test(name ?? '')
      return name === undefined || content === undefined || isTarget ? [] : [[name, content]]
    }),
  )
  const fundedKey = env['CONCORDAT_CONFORM_FUNDED_KEY'] ?? ''
  const token = env['CONCORDAT_CONFORM_TOKEN'] ?? ''
  return createRedactor(secretsOf({ urls, headers, values: [fundedKey, token, ...keys] }))
}

/**
 * Returns true for long text with upper-case letters, lower-case letters and digits, unlike names of files or
 * cases.
 */
function looksLikeKey(text: string): boolean {
  return text.length >= 16 && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text))
}

interface BoundOptions extends Partial<Pick<ConformOptions, 'budget' | 'concurrency' | 'profile'>> {
  readonly perSecond: number | undefined
}

/** Returns the limits of a run. Targets on this machine have none by default. */
export function boundsOf(options: BoundOptions, { isLoopback, transport }: Target): Bounds {
  return {
    budget: options.budget ?? (isLoopback ? undefined : conformDefaults.budget),
    perSecond: options.perSecond ?? (isLoopback ? undefined : conformDefaults.perSecond),
    // With a profile, cases run one at a time, so that two runs send requests in the same order. With a program, each
    // further case at the same time would start it once more.
    concurrency:
      options.concurrency ??
      (options.profile === undefined && transport !== 'program' ? conformDefaults.concurrency : 1),
  }
}

/**
 * Reads the known failures of all files.
 * @param files the files given with `--known`
 * @throws UsageError when a file cannot be read or is invalid
 */
export async function knownFailuresOf(files: readonly string[]): Promise<readonly KnownFailure[]> {
  const lists = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
        const reason = cause.code === 'ENOENT' ? 'the file does not exist' : `cannot be read (${cause.code})`
        throw new UsageError(`${file}: ${reason}`, { cause })
      })
      try {
        return readKnownFailures(text, file)
      } catch (cause) {
        if (!(cause instanceof ScenarioError)) throw cause
        throw new UsageError(problemsText('known failures', scenarioProblems(cause)), { cause })
      }
    }),
  )
  return lists.flat()
}
