import type { Variables } from '../scenario/fill.js'
import type { BatchStep, CallStep } from '../scenario/scenario.js'
import type { Exchange } from '../send/exchange.js'
import { runDefaults } from '../terms/run-defaults.js'
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
  /** Time of the answer, in milliseconds of `performance.now()`; undefined before it. */
  answeredAt?: number
}

/** Lets a case reuse the answers of earlier cases, and stores its own. */
export interface AnswerSource {
  /** True if another case may have sent the call. */
  readonly has: (call: string) => boolean
  /** @param call cache key of the call; undefined for a call that is always sent */
  readonly claim: (call: string | undefined) => Promise<Claim | undefined>
}

/** Answers shared between the cases of a run, by call. Only complete answers with HTTP 200 are shared. */
export class SharedAnswers implements AnswerSource {
  readonly #answers = new Map<string, SharedAnswer>()
  readonly #isAboutHead: (call: SentCall) => boolean
  #movedAt: number | undefined

  /** @param isAboutHead true for a call whose answer depends on the head */
  constructor(isAboutHead: (call: SentCall) => boolean = () => false) {
    this.#isAboutHead = isAboutHead
  }

  /** True if the call has been sent. */
  has(call: string): boolean {
    return this.#answers.has(call)
  }

  /** True if the head has moved in this run. */
  get hasHeadMoved(): boolean {
    return this.#movedAt !== undefined
  }

  /** States that the head has moved, so that comparisons with it need new answers about it. */
  headMoved(): void {
    this.#movedAt = performance.now()
  }

  /**
   * Returns the source for an attempt of a case. The first attempt takes the answers of other cases. After the head has
   * moved, a comparison with it takes only new answers about the head. A retry sends every call again, and later cases
   * take its answers.
   * @param time number of the attempt, from 1
   * @param followsHead true for a comparison with the head
   */
  forAttempt(time: number, followsHead: boolean): AnswerSource {
    const has = (call: string) => time === 1 && this.has(call)
    if (time === 1) return { has, claim: (call) => this.#claim(call, followsHead) }
    const settle = (call: string | undefined, answered: AnsweredRequest | undefined) => {
      if (call === undefined || answered?.exchange.reply?.status !== 200) return
      const { calls } = answered.request
      this.#answers.set(call, { answer: Promise.resolve(answered), calls, answeredAt: performance.now() })
    }
    return { has, claim: async (call) => ({ settle: (answered) => settle(call, answered) }) }
  }

  /**
   * Waits for the answer to an identical call, or lets the caller send it. If that answer cannot be shared,
   * the first waiting case sends the call again.
   * @param call cache key of the call; undefined for a call that is always sent
   */
  claim(call: string | undefined): Promise<Claim | undefined> {
    return this.#claim(call, false)
  }

  async #claim(call: string | undefined, followsHead: boolean): Promise<Claim | undefined> {
    if (call === undefined) return undefined
    for (;;) {
      const known = this.#answers.get(call)
      if (known === undefined || (followsHead && this.#isStale(known))) {
        let settle: Claim['settle'] = () => undefined
        const shared: SharedAnswer = {
          answer: new Promise((resolve) => {
            settle = (answered) => {
              shared.calls = answered?.request.calls
              shared.answeredAt = performance.now()
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

  /**
   * True for an answer that may be about an earlier head. On a chain that stands still, no answer is stale. Answers to
   * batches never are, because their items belong to many cases.
   */
  #isStale({ calls = [], answeredAt = Number.POSITIVE_INFINITY }: SharedAnswer): boolean {
    const [call] = calls
    if (this.#movedAt === undefined || call === undefined || calls.length > 1) return false
    const since = Math.max(this.#movedAt, performance.now() - runDefaults.headSharedFor)
    return answeredAt < since && this.#isAboutHead(call)
  }
}
