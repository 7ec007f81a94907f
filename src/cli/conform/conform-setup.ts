import { readFile } from 'node:fs/promises'
import {
  contractTerms,
  createRedactor,
  createTarget,
  type KnownFailure,
  type Redactor,
  readKnownFailures,
  type Scenario,
  ScenarioError,
  SelectionError,
  secretsOf,
  selectCases,
  type Target,
  TargetError,
} from '../../conformance/index.js'
import { type CommandIo, UsageError } from '../io.js'
import { type ConformOptions, conformDefaults } from './conform-options.js'
import { problemsText, type Suite, scenarioProblems } from './conform-suite.js'

/** Bounds of a run; undefined is no bound. */
export interface Bounds {
  readonly budget: number | undefined
  readonly perSecond: number | undefined
  readonly concurrency: number
}

/**
 * The cases that the options choose.
 * @throws UsageError where a pattern or an id matches nothing
 */
export function chosenCases(
  suite: Suite,
  { only, replay }: Pick<ConformOptions, 'only' | 'replay'>,
): readonly Scenario[] {
  try {
    return selectCases(suite.scenarios, { only, replay })
  } catch (cause) {
    if (!(cause instanceof SelectionError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

/**
 * The service to be tried.
 * @throws UsageError where a URL cannot be used, or nothing tells which network it is
 */
export function targetOf(
  options: Pick<ConformOptions, 'secondKey' | 'revokedKey' | 'network'> &
    Partial<Pick<ConformOptions, 'keys'>> & { readonly url: string },
  suite: Pick<Suite, 'contract'>,
): Target {
  const { networks, paths } = contractTerms(suite.contract)
  const { url, secondKey: secondUrl, revokedKey: revokedUrl, keys: keyUrls, network } = options
  try {
    const target = createTarget({ url, secondUrl, revokedUrl, keyUrls, network, networks, paths })
    const names = Object.keys(networks)
    if (target.network === undefined && names.length > 0) {
      const options = names.map((name) => `--network ${name}`).join(' or ')
      throw new UsageError(`the URL does not tell which network it serves: say ${options}`)
    }
    return target
  } catch (cause) {
    if (!(cause instanceof TargetError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

/** An account that may be spent from: its private key, where the environment has one. */
function fundedKeyOf({ env }: CommandIo): string | undefined {
  const key = env['CONCORDAT_CONFORM_FUNDED_KEY']
  if (key === undefined || key === '') return undefined
  if (/^0x[0-9a-f]{64}$/i.test(key)) return key
  throw new UsageError('CONCORDAT_CONFORM_FUNDED_KEY must be a private key: 0x and 64 hexadecimal digits')
}

/** What the environment gives to cases: secrets, by the names of their variables, and the facts that they are. */
export interface GivenSecrets {
  readonly variables: ReadonlyMap<string, string>
  readonly facts: readonly string[]
}

/**
 * A private key with funds, and a JSON Web Token for the key that asks for one, where the environment has them.
 * @throws UsageError where the private key is none
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

/** What replaces every secret of a run. */
export function redactorOf(
  target: Target,
  headers: Readonly<Record<string, string>>,
  { variables }: GivenSecrets,
): Redactor {
  // A private key is known without its 0x, too.
  const keyForms = [...variables.values()].flatMap((value) => [value, value.replace(/^0x/, '')])
  return createRedactor(secretsOf({ urls: [], headers, values: [...target.secrets, ...keyForms] }))
}

/** What replaces the secrets in arguments, understood or not: in all that looks like a URL, a key or a header. */
export function argumentRedactor(args: readonly string[], { env }: CommandIo): Redactor {
  const values = args.map((arg) => (arg.startsWith('-') ? arg.slice(arg.indexOf('=') + 1) : arg))
  const urls = values
    .filter((value) => value.includes('://'))
    .map((value) => value.replace(/^[a-z-]+=(?=https?:)/, ''))
  const keys = values.flatMap((value) => value.split(/[/?#&=@:,\s]/)).filter(looksLikeKey)
  const headers = Object.fromEntries(
    values.flatMap((value) => {
      const [, name, content] = /^([\w-]+):\s*(.+)$/.exec(value) ?? []
      return name === undefined || content === undefined || content.startsWith('//') ? [] : [[name, content]]
    }),
  )
  const fundedKey = env['CONCORDAT_CONFORM_FUNDED_KEY'] ?? ''
  const token = env['CONCORDAT_CONFORM_TOKEN'] ?? ''
  return createRedactor(secretsOf({ urls, headers, values: [fundedKey, token, ...keys] }))
}

/** Long, with capital and small letters and digits: no name of a file or of a case. */
function looksLikeKey(text: string): boolean {
  return text.length >= 16 && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text))
}

/** The bounds that the options give; towards this machine there are none by default. */
export function boundsOf(
  options: Pick<ConformOptions, 'budget' | 'perSecond' | 'concurrency'> &
    Partial<Pick<ConformOptions, 'profile'>>,
  { isLoopback }: Target,
): Bounds {
  return {
    budget: options.budget ?? (isLoopback ? undefined : conformDefaults.budget),
    perSecond: options.perSecond ?? (isLoopback ? undefined : conformDefaults.perSecond),
    // Which of several cases sends first is chance: two runs with one profile ask in the same order.
    concurrency: options.concurrency ?? (options.profile === undefined ? conformDefaults.concurrency : 1),
  }
}

/**
 * The known failures of all files.
 * @throws UsageError where one cannot be read or used
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
