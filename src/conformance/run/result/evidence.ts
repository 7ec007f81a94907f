import { gzipSync } from 'node:zlib'
import { utf8Text } from '../../send/decode-body.js'
import type { Exchange } from '../../send/exchange.js'
import { runDefaults } from '../plan/run-defaults.js'
import { curlLine } from './curl-line.js'
import type { Alteration, Evidence } from './report.js'

/** An exchange and the step that it belongs to, from 1. */
export interface RecordedExchange {
  readonly step: number
  readonly exchange: Exchange
  /** Bytes of the answer's body, where the exchange has only its beginning. */
  readonly wholeBytes?: number
  /** Exchanges of the same step behind it that were not kept. */
  readonly omitted?: number
  /** Another case sent it, and its answer did for this one, too. */
  readonly isShared?: boolean
}

/** What evidence is made with. */
export interface EvidenceOptions {
  /** Replaces every secret in a text. */
  readonly redact: (text: string) => string
  /** The URL that `$RPC_URL` stands for. */
  readonly ownUrl: string
  /** Headers that every request carries beside its own. */
  readonly headers: Readonly<Record<string, string>>
}

/** Makes evidence of what was sent and came. */
export type MakeEvidence = (recorded: RecordedExchange) => Evidence

/** Exchanges as a report shows them: secrets replaced, long bodies cut, and all of them together bounded. */
export function createEvidenceMaker(options: EvidenceOptions): MakeEvidence {
  let kept = 0
  let compressed = 0
  /** A body that no answer of a report could be judged by otherwise. */
  const keepWhole: KeepWhole = ({ bytes, text }) => {
    if (text === undefined || text.length <= runDefaults.evidenceBodyCharacters) return undefined
    if (options.redact(text) !== text) return undefined
    const whole = gzipSync(bytes).toString('base64')
    const room = runDefaults.compressedBodiesOfARunCharacters - compressed
    if (whole.length > Math.min(room, runDefaults.compressedBodyCharacters)) return undefined
    compressed += whole.length
    return whole
  }
  const keep: KeepBody = (bytes, wholeBytes) => {
    const isFull = kept > runDefaults.evidenceOfARunCharacters
    const limit = isFull ? runDefaults.evidenceBeginningCharacters : runDefaults.evidenceBodyCharacters
    const text = Buffer.from(bytes).toString('utf8')
    const body = shortened(text, wholeBytes, limit, options.redact)
    kept += body.length
    const isCut = wholeBytes !== undefined || text.length > limit
    return { body, altered: isCut ? 'cut' : alterationOf(bytes, text, body) }
  }
  return (recorded) => evidenceOf(recorded, options, keep, keepWhole)
}

/** A body as a report keeps it. */
type KeepBody = (
  bytes: Uint8Array,
  wholeBytes: number | undefined,
) => { readonly body: string; readonly altered: Alteration | undefined }

/** The whole body of an answer for the judge, where it is cut for people. */
type KeepWhole = (reply: NonNullable<Exchange['reply']>) => string | undefined

function alterationOf(bytes: Uint8Array, text: string, body: string): Alteration | undefined {
  if (utf8Text(bytes) === undefined) return 'not-utf8'
  return body === text ? undefined : 'redacted'
}

function evidenceOf(
  { step, exchange, wholeBytes, omitted, isShared }: RecordedExchange,
  { redact, ownUrl, headers: common }: EvidenceOptions,
  keep: KeepBody,
  keepWhole: KeepWhole,
): Evidence {
  const { reply, trouble, milliseconds } = exchange
  const outgoing = { ...exchange.outgoing, headers: { ...common, ...exchange.outgoing.headers } }
  const headers = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name, redact(value)]))
  return {
    step,
    request: {
      verb: outgoing.verb,
      url: redact(outgoing.url),
      headers: headers(outgoing.headers),
      ...keep(outgoing.body ?? new Uint8Array(), undefined),
    },
    response: reply && {
      status: reply.status,
      headers: headers(reply.headers),
      ...keep(reply.bytes, wholeBytes),
      whole: wholeBytes === undefined ? keepWhole(reply) : undefined,
    },
    trouble: trouble && { ...trouble, message: redact(trouble.message) },
    omitted,
    shared: isShared,
    milliseconds: Math.round(milliseconds),
    curl: redact(curlLine(outgoing, ownUrl)),
  }
}

/**
 * The exchanges of a case as far as they happened: of a step that was repeated many times the first and last ones.
 */
export class ExchangeTrail {
  readonly #kept: RecordedExchange[] = []
  #billed = 0

  /** What the exchanges counted against the budget. */
  get billed(): number {
    return this.#billed
  }

  get exchanges(): readonly RecordedExchange[] {
    return this.#kept
  }

  add(recorded: RecordedExchange): void {
    if (recorded.isShared !== true)
      this.#billed += recorded.exchange.charged ?? recorded.exchange.outgoing.billed
    this.#kept.push(lightened(recorded))
    const end = runDefaults.exchangesKeptAtEachEnd
    const ofStep = this.#kept.filter(({ step }) => step === recorded.step).length
    if (ofStep > 2 * end) this.#omit(this.#kept.length - end - 1)
  }

  /** The one before it tells how many are missing behind it. */
  #omit(index: number): void {
    const [omitted] = this.#kept.splice(index, 1)
    const before = this.#kept[index - 1]
    if (before === undefined) return
    this.#kept[index - 1] = { ...before, omitted: (before.omitted ?? 0) + 1 + (omitted?.omitted ?? 0) }
  }
}

/** A large answer with no more than the beginning of its body: a case may have many of them. */
function lightened(recorded: RecordedExchange): RecordedExchange {
  const { exchange } = recorded
  const { reply } = exchange
  if (reply === undefined || reply.bytes.length <= runDefaults.bytesKeptOfAnAnswer) return recorded
  // A copy: a view would keep the whole.
  const bytes = Uint8Array.prototype.slice.call(reply.bytes, 0, runDefaults.bytesKeptOfAnAnswer)
  const light = { ...exchange, reply: { ...reply, bytes, text: undefined } }
  return { ...recorded, exchange: light, wholeBytes: reply.bytes.length }
}

/**
 * The beginning of a body. It is cut a good way behind its limit first, since what replaces secrets takes its time, and
 * a secret that the cut goes through is known by its beginning; what is left of an escape there is cut away.
 */
function shortened(
  text: string,
  wholeBytes: number | undefined,
  limit: number,
  redact: (text: string) => string,
): string {
  if (wholeBytes === undefined && text.length <= limit) return redact(text)
  const window = limit + runDefaults.longestWrittenSecret
  const isCut = wholeBytes !== undefined || text.length > window
  const redacted = redact(isCut ? `${text.slice(0, window)}…` : text)
  if (!isCut && redacted.length <= limit) return redacted
  const told = wholeBytes === undefined ? `of ${text.length} characters` : `characters of ${wholeBytes} bytes`
  return `${redacted.slice(0, limit)}… (the first ${limit} ${told})`
}
