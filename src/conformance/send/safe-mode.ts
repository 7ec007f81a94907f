import type { Effect } from '../scenario/scenario.js'
import { utf8Text } from './decode-body.js'
import type { Outgoing } from './exchange.js'
import { looseForm, methodNames } from './method-names.js'
import { percentDecoded } from './percent-decoded.js'
import { isKnownCharset, occursIn, sentBodies } from './sent-texts.js'

/** What safe mode decides by. */
export interface SafeModeOptions {
  /** `x-effect` of the contract's methods that have one. */
  readonly effects: ReadonlyMap<string, 'read' | 'write'>
  /** All methods of the contract. */
  readonly methods: ReadonlySet<string>
  /** Whether somebody said that a method without a declared effect only reads. */
  readonly assumeRead: (method: string) => boolean
  /** Effects that may be had beside `read`. */
  readonly allow: ReadonlySet<Effect>
}

/** What safe mode says of a request. */
export interface SafetyFinding {
  /** Why it is held back, in one sentence; undefined where it may be sent. */
  readonly refusal: string | undefined
  /** How many calls of methods that do more than read it makes. */
  readonly writes: number
}

/** What a method name stands for: it reads, it does more, nobody says what it does, or the contract does not have it. */
type NameKind = 'read' | 'write' | 'undeclared' | 'unknown'

/** A method without a declared effect may do anything: it counts as one that writes. */
const mayWrite = (kind: NameKind) => kind === 'write' || kind === 'undeclared'

const REMEDY = '--allow write lets it be sent.'
const HIDDEN = `It cannot be told which methods the bytes name, so they are held back; ${REMEDY}`

/** Makes what decides, before anything is sent, whether a request may be sent. */
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
      const refusal = `The case has the effect ${effect}, which --allow ${effect} lets it have.`
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
    // Of OpenRPC itself: it gives the contract.
    if (name === 'rpc.discover') return 'read'
    // A server that is not strict about names may take it for the method that it looks like.
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
      return `The contract does not say what ${quoted} does; --assume-read ${quoted} says that it only reads.`
    }
    if (kind === 'write') return `The contract does not say that ${quoted} only reads; ${REMEDY}`
    // A service may have more methods than its contract: only this package's own cases, which were looked at, try that.
    if (kind === 'unknown' && !builtIn) {
      return `The contract has no method ${quoted}, and what the service does with it is unknown; ${REMEDY}`
    }
  }
  return undefined
}

/**
 * The names that a request made of calls calls: those it says, and those that its bytes hold, for it is the bytes that
 * are sent. Names deeper inside, in parameters, are data.
 * @returns undefined for raw bytes, and for what is no JSON
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
 * The names of writing methods in a URL. Some services take calls by GET: as `?method=` or as the path's end.
 * A whole part must be the name, as a key or a base path may hold a short one by chance.
 */
function carriedNames({ url, verb }: Outgoing, writingWords: readonly string[]): string[] {
  const { pathname, searchParams } = new URL(url)
  const path = verb.toUpperCase() === 'POST' ? [] : pathname.split('/')
  const parts = [...path, ...[...searchParams].flat()].flatMap((part) => [part, percentDecoded(part)])
  const named = [...searchParams].filter(([name]) => looseForm(name) === 'method').map(([, value]) => value)
  return [...named, ...parts.filter((part) => writingWords.includes(looseForm(part).trim()))]
}

/**
 * Raw bytes may be anything, and servers differ in what they make of them. They are let out when no name of a method
 * that does more than read occurs anywhere in them, however it is encoded, compressed or escaped. Those that are not
 * this package's own must also be JSON whose method names are all known, or hold no member `method` at all.
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
    const inBody = 'The bytes hold the name of a method of which the contract does not say that it only reads'
    return { refusal: `${inBody}; ${REMEDY}`, writes: Math.max(1, writes + writesIn(bodies, kindOf)) }
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
