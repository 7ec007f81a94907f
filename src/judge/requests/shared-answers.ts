import type { Variables } from '../scenario/fill.js'
import type { BatchStep, CallStep } from '../scenario/scenario.js'
import type { Exchange } from '../send/exchange.js'
import { buildRequest, type Request, type RequestContext, type SentCall } from './build-request.js'

/** A request and its answer. */
export interface AnsweredRequest {
  readonly request: Request
  readonly exchange: Exchange
}

/** Returns the cache key of the answer to a step: its calls, path and headers. */
export function sharedKey(step: CallStep | BatchStep, variables: Variables, context: RequestContext): string {
  const { calls = [], outgoing } = buildRequest(step, variables, { ...context, nextId: () => 0 }, false)
  return JSON.stringify([step.kind, calls, outgoing.url, outgoing.headers])
}

/** Either the permission to send a call, or the answer that another case received. */
export interface Claim {
  /** Shared answer; undefined when the claimant must send the call. */
  readonly answered?: AnsweredRequest | undefined
  /** Shares the claimant's answer. Pass undefined when no answer came. */
  settle(answered: AnsweredRequest | undefined): void
}

/** An answer that is expected or has come. */
interface SharedAnswer {
  readonly answer: Promise<AnsweredRequest | undefined>
  /** The answered calls; undefined before the answer. */
  calls?: Request['calls']
}

/** Lets a case reuse the answers of earlier cases, and stores its own. */
export interface AnswerSource {
  /** True if another case may have sent the call. */
  readonly has: (call: string) => boolean
  /** @param call cache key of the call; undefined if it must not be shared */
  readonly claim: (call: string | undefined) => Promise<Claim | undefined>
  /** Returns a source for a retry, which sends every call again. Later cases share its answers. */
  readonly forRetry: () => AnswerSource
}

/** Answers shared between the cases of a run, by call. Only complete answers with HTTP 200 are shared. */
export class SharedAnswers implements AnswerSource {
  readonly #answers = new Map<string, SharedAnswer>()

  /** True if the call has been sent. */
  has(call: string): boolean {
    return this.#answers.has(call)
  }

  /** Forgets the answers to such calls. The next case that needs one sends it again. Batches stay: their items are of many cases. */
  forget(isStale: (call: SentCall) => boolean): void {
    for (const [key, { calls = [] }] of this.#answers) {
      const [call] = calls
      if (call !== undefined && calls.length === 1 && isStale(call)) this.#answers.delete(key)
    }
  }

  forRetry(): AnswerSource {
    const source: AnswerSource = {
      has: () => false,
      claim: async (call) => ({
        settle: (answered) => {
          if (call === undefined || answered?.exchange.reply?.status !== 200) return
          this.#answers.set(call, { answer: Promise.resolve(answered), calls: answered.request.calls })
        },
      }),
      forRetry: () => source,
    }
    return source
  }

  /**
   * Waits for the answer to an identical call, or lets the caller send it. If that answer cannot be shared,
   * the first waiting case sends the call again.
   * @param call cache key of the call; undefined if it must not be shared
   */
  async claim(call: string | undefined): Promise<Claim | undefined> {
    if (call === undefined) return undefined
    for (;;) {
      const known = this.#answers.get(call)
      if (known === undefined) {
        let settle: Claim['settle'] = () => undefined
        const shared: SharedAnswer = {
          answer: new Promise((resolve) => {
            settle = (answered) => {
              shared.calls = answered?.request.calls
              resolve(answered)
            }
          }),
        }
        this.#answers.set(call, shared)
        return { settle }
      }
      const answered = await known.answer
      if (answered?.exchange.reply?.status === 200) return { answered, settle: () => undefined }
      if (this.#answers.get(call) === known) this.#answers.delete(call)
    }
  }
}
