import type { Effect } from '../report/index.js'
import { utf8Text } from './decode-body.js'
import type { Outgoing } from './exchange.js'
import { looseForm, methodNames } from './method-names.js'
import { percentDecoded } from './redact/percent-decoded.js'
import { isKnownCharset, occursIn, sentBodies } from './redact/sent-texts.js'

/** Options of safe mode. */
export interface SafeModeOptions {
  /** `x-effect` of the contract's methods that have one. */
  readonly effects: ReadonlyMap<string, 'read' | 'write'>
  /** Names of the contract's methods. */
  readonly methods: ReadonlySet<string>
  /** Returns true if the user declared a method without `x-effect` as read-only. */
  readonly assumeRead: (method: string) => boolean
  /** Allowed effects in addition to `read`. */
  readonly allow: ReadonlySet<Effect>
}

/** The verdict of safe mode on a request. */
export interface SafetyFinding {
  /** Why the request is held back, in one sentence. Undefined if it can be sent. */
  readonly refusal: string | undefined
  /** Number of calls to methods that can write. */
  readonly writes: number
}

/**
 * The kind of a method name: it reads, it writes, its effect is undeclared, or the contract does not have it.
 */
type NameKind = 'read' | 'write' | 'undeclared' | 'unknown'

/** A method without a declared effect counts as writing. */
const mayWrite = (kind: NameKind) => kind === 'write' || kind === 'undeclared'

const REMEDY = 'Use --allow write to send it.'
const HIDDEN = `The methods in these bytes are unknown, so they are not sent. ${REMEDY}`

/** Creates the check whether a request can be sent. */
export function createSafeMode(
  options: SafeModeOptions,
): (outgoing: Outgoing, body: Uint8Array | undefined) => Promise<SafetyFinding> {
  const { allow } = options
  const kindOf = kindsOf(options)
  const writing = [...new Set([...options.methods, ...options.effects.keys()])].filter(
    (name) => name !== '' && mayWrite(kindOf(name)),
  )
  const writingWords = writing.map(looseForm)

  return async (outgoing, body) => {
    const { effect, builtIn } = outgoing
    if (effect !== 'read' && !allow.has(effect)) {
      const refusal = `The case has the effect ${effect}, which needs --allow ${effect}.`
      return { refusal, writes: 0 }
    }
    const called = callsIn(outgoing, body)
    if (called !== undefined) {
      const names = [...called, ...carriedNames(outgoing, writingWords)]
      const writes = names.filter((name) => mayWrite(kindOf(name))).length
      const refusal = allow.has('write') ? undefined : refusalOf(names, kindOf, builtIn)
      return { refusal, writes }
    }
    const raw = await rawFinding(outgoing, body, writingWords, kindOf)
    return allow.has('write') ? { ...raw, refusal: undefined } : raw
  }
}

function kindsOf({ effects, methods, assumeRead }: SafeModeOptions): (name: string) => NameKind {
  const isDeclared = (name: string) => methods.has(name) || effects.has(name)
  const declared = (name: string): NameKind => {
    const effect = effects.get(name)
    if (effect !== undefined) return effect
    return assumeRead(name) ? 'read' : 'undeclared'
  }
  const lookAlikes = new Set(
    [...methods, ...effects.keys()].filter((name) => mayWrite(declared(name))).map(looseForm),
  )
  return (name) => {
    if (isDeclared(name)) return declared(name)
    // `rpc.discover` is defined by OpenRPC and returns the contract.
    if (name === 'rpc.discover') return 'read'
    // A lenient server can take the name for the method that it resembles.
    return lookAlikes.has(looseForm(name).trim()) ? 'write' : 'unknown'
  }
}

function refusalOf(
  names: readonly string[],
  kindOf: (name: string) => NameKind,
  builtIn: boolean,
): string | undefined {
  for (const name of names) {
    const kind = kindOf(name)
    const quoted = JSON.stringify(name)
    if (kind === 'undeclared') {
      return `The contract does not say what ${quoted} does. If it only reads, use --assume-read ${quoted}.`
    }
    if (kind === 'write') return `The contract does not state that ${quoted} only reads. ${REMEDY}`
    // A service can have methods that its contract does not list. Only the reviewed cases of this package
    // send unknown names.
    if (kind === 'unknown' && !builtIn) {
      return `The contract has no method ${quoted}, so its effect is unknown. ${REMEDY}`
    }
  }
  return undefined
}

/**
 * Returns the method names of a request made of calls: the declared names, and those in the bytes that are sent. Names
 * inside parameters are data.
 * @returns undefined for raw bytes and for text that is not JSON
 */
function callsIn({ methods }: Outgoing, body: Uint8Array | undefined): readonly string[] | undefined {
  if (methods === undefined) return undefined
  if (body === undefined) return methods
  const found = methodNames(utf8Text(body) ?? '\0')?.filter(({ isCall }) => isCall)
  if (found === undefined) return undefined
  const names = found.map(({ name }) => name)
  return [...names, ...methods.filter((method) => !names.includes(method))]
}

/**
 * Returns the names of writing methods in a URL, because some services accept calls by GET: `?method=` or the
 * end of the path. Only whole parts count, because a key or a base path can contain a short name by chance.
 */
function carriedNames({ url, verb }: Outgoing, writingWords: readonly string[]): string[] {
  const { pathname, searchParams } = new URL(url)
  const path = verb.toUpperCase() === 'POST' ? [] : pathname.split('/')
  const parts = [...path, ...[...searchParams].flat()].flatMap((part) => [part, percentDecoded(part)])
  const named = [...searchParams].filter(([name]) => looseForm(name) === 'method').map(([, value]) => value)
  return [...named, ...parts.filter((part) => writingWords.includes(looseForm(part).trim()))]
}

/**
 * Checks raw bytes, which servers can interpret in different ways. They are sent only if no name of a writing
 * method occurs in them, however encoded, compressed or escaped. Bytes from outside of this package must also
 * be JSON with known method names only, or contain no member `method`.
 */
async function rawFinding(
  outgoing: Outgoing,
  body: Uint8Array | undefined,
  writingWords: readonly string[],
  kindOf: (name: string) => NameKind,
): Promise<SafetyFinding> {
  const carried = carriedNames(outgoing, writingWords)
  const refusal = refusalOf([...carried, ...(outgoing.methods ?? [])], kindOf, outgoing.builtIn)
  const writes = carried.filter((name) => mayWrite(kindOf(name))).length
  if (body === undefined || body.length === 0) return { refusal, writes }
  const bodies = await sentBodies(body, outgoing.headers)
  if (bodies === undefined) return { refusal: HIDDEN, writes: Math.max(1, writes) }
  if (bodies.some((bytes) => occursIn(bytes, writingWords))) {
    const inBody = 'The bytes contain the name of a method that may write.'
    return { refusal: `${inBody} ${REMEDY}`, writes: Math.max(1, writes + writesIn(bodies, kindOf)) }
  }
  if (refusal !== undefined || outgoing.builtIn) return { refusal, writes }
  return { refusal: foreignRefusal(outgoing, bodies, kindOf), writes }
}

function foreignRefusal(
  { headers }: Outgoing,
  bodies: readonly Uint8Array[],
  kindOf: (name: string) => NameKind,
): string | undefined {
  if (!isKnownCharset(headers)) return HIDDEN
  for (const bytes of bodies) {
    const names = methodNames(utf8Text(bytes) ?? '\0')
    if (names === undefined && occursIn(bytes, ['method'])) return HIDDEN
    const all = (names ?? []).map(({ name }) => name)
    const refusal = refusalOf(all, kindOf, false)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function writesIn(bodies: readonly Uint8Array[], kindOf: (name: string) => NameKind): number {
  const counts = bodies.map(
    (bytes) =>
      (methodNames(utf8Text(bytes) ?? '\0') ?? []).filter(({ name }) => mayWrite(kindOf(name))).length,
  )
  return Math.max(...counts)
}
