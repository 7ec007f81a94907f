import { gzipSync } from 'node:zlib'
import type { Session } from '../../toolkit/contract/index.js'
import type { Alteration, Evidence } from '../report/index.js'
import { utf8Text } from '../send/decode-body.js'
import type { Exchange, Outgoing } from '../send/exchange.js'
import { runDefaults } from '../terms/run-defaults.js'
import { curlLine } from './curl-line.js'

/** An exchange with the number of its step, from 1. */
export interface RecordedExchange {
  readonly step: number
  readonly exchange: Exchange
  /** Size of the answer's body in bytes, when the exchange keeps only its beginning. */
  readonly wholeBytes?: number
  /** Number of later exchanges of the same step that were not kept. */
  readonly omitted?: number
  /** True when another case sent the request and shared the answer. */
  readonly isShared?: boolean
  /** The form of the call, in words, if it was not sent alone. */
  readonly form?: string
  /** The request to repeat, if it differs from that of the exchange. */
  readonly sent?: Outgoing
}

/** Options for creating evidence. */
export interface EvidenceOptions {
  /** Replaces every secret in a text. */
  readonly redact: (text: string) => string
  /** URL that `$RPC_URL` holds. */
  readonly ownUrl: string
  /** Headers added to every request. */
  readonly headers: Readonly<Record<string, string>>
  /** How a connection to a program is used. */
  readonly session?: Session | undefined
}

/** Converts a recorded exchange into evidence. */
export type MakeEvidence = (recorded: RecordedExchange) => Evidence

/**
 * Creates evidence for reports. Secrets are replaced, long bodies are truncated, and the total size is
 * bounded.
 */
export function createEvidenceMaker(options: EvidenceOptions): MakeEvidence {
  let kept = 0
  let compressed = 0
  /** A truncated body cannot be judged again, so the whole body is also kept compressed. */
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

/** Redacts and truncates a body for a report. */
type KeepBody = (
  bytes: Uint8Array,
  wholeBytes: number | undefined,
) => { readonly body: string; readonly altered: Alteration | undefined }

/** Compresses the whole body of an answer that is truncated for display. */
type KeepWhole = (reply: NonNullable<Exchange['reply']>) => string | undefined

function alterationOf(bytes: Uint8Array, text: string, body: string): Alteration | undefined {
  if (utf8Text(bytes) === undefined) return 'not-utf8'
  return body === text ? undefined : 'redacted'
}

function evidenceOf(
  { step, exchange, wholeBytes, omitted, isShared, form, sent }: RecordedExchange,
  { redact, ownUrl, headers: common, session }: EvidenceOptions,
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
      ...(reply.messages && keptMessages(reply.messages, keep)),
    },
    trouble: trouble && { ...trouble, message: redact(trouble.message) },
    omitted,
    shared: isShared,
    ...(form !== undefined && { form }),
    milliseconds: Math.round(milliseconds),
    curl: redact(
      curlLine(
        sent ? { ...sent, headers: { ...common, ...sent.headers } } : outgoing,
        ownUrl,
        undefined,
        session,
      ),
    ),
  }
}

/** Stores the messages of a subscription. If one is altered, the whole response is, and `verify` skips it. */
function keptMessages(messages: readonly string[], keep: KeepBody) {
  const kept = messages.map((text) => keep(Buffer.from(text), undefined))
  const altered = kept.find((message) => message.altered !== undefined)?.altered
  return { messages: kept.map(({ body }) => body), ...(altered && { altered, whole: undefined }) }
}

/** Exchanges of a case. For a step that repeats many times, only the first and last ones are kept. */
export class ExchangeTrail {
  readonly #kept: RecordedExchange[] = []
  #billed = 0

  /** Billed requests of the exchanges. */
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

  /** Omits an exchange, and adds it to the number of omitted exchanges in the one before. */
  #omit(index: number): void {
    const [omitted] = this.#kept.splice(index, 1)
    const before = this.#kept[index - 1]
    if (before === undefined) return
    this.#kept[index - 1] = { ...before, omitted: (before.omitted ?? 0) + 1 + (omitted?.omitted ?? 0) }
  }
}

/** Keeps only the beginning of a large body, since a case may have many of them. */
function lightened(recorded: RecordedExchange): RecordedExchange {
  const { exchange } = recorded
  const { reply } = exchange
  if (reply === undefined || reply.bytes.length <= runDefaults.bytesKeptOfAnAnswer) return recorded
  // A view would keep the whole buffer in memory.
  const bytes = Uint8Array.prototype.slice.call(reply.bytes, 0, runDefaults.bytesKeptOfAnAnswer)
  const light = { ...exchange, reply: { ...reply, bytes, text: undefined } }
  return { ...recorded, exchange: light, wholeBytes: reply.bytes.length }
}

/**
 * Truncates and redacts a body. Redaction is slow, so the text is first cut well after the limit. This margin
 * keeps a secret at the limit recognizable, and the second cut removes partial escapes.
 */
function shortened(
  text: string,
  wholeBytes: number | undefined,
  limit: number,
  redact: (text: string) => string,
): string {
  if (wholeBytes === undefined && text.length <= limit) return redact(text)
  if (text === '') return `… (a body of ${wholeBytes} bytes, which the run has not kept)`
  const window = limit + runDefaults.longestWrittenSecret
  const isCut = wholeBytes !== undefined || text.length > window
  const redacted = redact(isCut ? `${text.slice(0, window)}…` : text)
  if (!isCut && redacted.length <= limit) return redacted
  const amount =
    wholeBytes === undefined ? `of ${text.length} characters` : `characters of ${wholeBytes} bytes`
  return `${redacted.slice(0, limit)}… (the first ${limit} ${amount})`
}
