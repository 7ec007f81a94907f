import type { Exchange } from '../send/exchange.js'
import { curlLine } from './curl-line.js'
import type { Evidence } from './report.js'
import { runDefaults } from './run-defaults.js'

/** An exchange and the step that it belongs to, from 1. */
export interface RecordedExchange {
  readonly step: number
  readonly exchange: Exchange
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

/** Exchanges as a report shows them: secrets replaced first, then long bodies cut, and all of them together bounded. */
export function createEvidenceMaker(options: EvidenceOptions): MakeEvidence {
  let kept = 0
  const cut = (text: string): string => {
    const isFull = kept > runDefaults.evidenceOfARunCharacters
    const limit = isFull ? runDefaults.evidenceBeginningCharacters : runDefaults.evidenceBodyCharacters
    const short = shortened(text, limit)
    kept += short.length
    return short
  }
  return (recorded) => evidenceOf(recorded, options, cut)
}

function evidenceOf(
  { step, exchange }: RecordedExchange,
  { redact, ownUrl, headers: common }: EvidenceOptions,
  cut: (text: string) => string,
): Evidence {
  const { reply, trouble, milliseconds } = exchange
  const outgoing = { ...exchange.outgoing, headers: { ...common, ...exchange.outgoing.headers } }
  const body = (bytes: Uint8Array | undefined) =>
    cut(redact(bytes === undefined ? '' : Buffer.from(bytes).toString('utf8')))
  const headers = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name, redact(value)]))
  return {
    step,
    request: {
      verb: outgoing.verb,
      url: redact(outgoing.url),
      headers: headers(outgoing.headers),
      body: body(outgoing.body),
    },
    response: reply && { status: reply.status, headers: headers(reply.headers), body: body(reply.bytes) },
    trouble: trouble && redact(trouble.message),
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
    this.#billed += recorded.exchange.outgoing.billed
    this.#kept.push(recorded)
    const end = runDefaults.exchangesKeptAtEachEnd
    const ofStep = this.#kept.filter(({ step }) => step === recorded.step).length
    if (ofStep > 2 * end) this.#kept.splice(this.#kept.length - end - 1, 1)
  }
}

function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit)}… (the first ${limit} of ${text.length} characters)`
}
