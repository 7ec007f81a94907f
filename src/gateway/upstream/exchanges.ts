import type { NodeAnswer } from '../node-call.js'
import type { AnswerRoom } from './answer-room.js'
import type { Attempt } from './attempt.js'
import { Exchange } from './exchange.js'
import type { NodeProblem } from './node-problem.js'
import { readAnswer, readBatch } from './read-answer.js'

/** The node that exchanges are made with: it hears how they end. */
export interface ExchangeOwner {
  /** The largest answer that is read, in bytes. */
  readonly answerBytes: number
  /** Where the large answers of all nodes that are being read have to fit. */
  readonly answerRoom: AnswerRoom
  answered(attempt: Attempt, answer: NodeAnswer): void
  failed(attempt: Attempt, problem: NodeProblem): void
  /** The attempt has to travel by itself. */
  sendAlone(attempt: Attempt): void
  /** The node takes no batches. */
  refusedBatch(): void
  /**
   * An exchange of calls of constant cost leaves.
   * @returns the time, by a clock that does not go back, in milliseconds
   */
  smallLeft(): number
  /** One that left at that time has ended. */
  smallLanded(leftAt: number): void
}

/** Rootstock's code for what is over a limit of the node: a part of what was asked may do. */
const tooLargeCode = -32012

/** What a call is answered with where its answer did not fit beside the others (EIP-1474: limit exceeded). */
const withoutRoom: NodeAnswer = { error: { code: -32005, message: 'no room for the answer' } }

/** Codes for a batch that was too slow or too much as a whole: another one may do. */
const passing = new Set([-32005, -32011])

/** Statuses with which a node, or what stands before it, takes no calls whatever the body says. */
const refusals = new Set([401, 402, 403, 407, 408, 429])

const firstServerStatus = 500

/** True for a status with which no answer comes. */
export const isRefusal = (status: number) => status >= firstServerStatus || refusals.has(status)

/** What is sent for one call; names of methods are ours, and have nothing in them to escape. */
export function bodyOf({ id, call: { method, params, options } }: Attempt): string {
  const { written } = options
  const text = written?.params === params ? written.text : JSON.stringify(params)
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${text}}`
}

/** An exchange of one call. */
export class SingleExchange extends Exchange {
  readonly body: string
  readonly isSmall: boolean
  readonly traceparent: string | undefined
  readonly #owner: ExchangeOwner
  readonly #attempt: Attempt
  /** When it left, where its call is of constant cost. */
  readonly #leftAt: number | undefined

  constructor(owner: ExchangeOwner, attempt: Attempt) {
    super(owner.answerBytes, owner.answerRoom)
    this.#owner = owner
    this.#attempt = attempt
    this.body = bodyOf(attempt)
    this.isSmall = attempt.call.isSmall
    this.traceparent = attempt.span?.traceparent
    attempt.batched = 1
    attempt.exchange = this
    this.#leftAt = attempt.call.isSmall ? owner.smallLeft() : undefined
  }

  /** The attempt is over: nobody else waits for the answer. */
  leave(): void {
    this.cancel()
  }

  protected override landed(): void {
    if (this.#leftAt !== undefined) this.#owner.smallLanded(this.#leftAt)
  }

  protected received(status: number, text: string): void {
    const answer = isRefusal(status) ? undefined : readAnswer(text, this.#attempt.id)
    if (answer === undefined) this.#owner.failed(this.#attempt, { kind: 'rubbish', status, text })
    else this.#owner.answered(this.#attempt, answer)
  }

  protected receivedTooMuch(): void {
    const message = `Response size limit of ${this.#owner.answerBytes} bytes exceeded`
    this.#owner.answered(this.#attempt, { error: { code: tooLargeCode, message } })
  }

  protected receivedWithoutRoom(): void {
    this.#owner.answered(this.#attempt, withoutRoom)
  }

  protected broke(cause: unknown): void {
    this.#owner.failed(this.#attempt, { kind: 'connection', cause })
  }
}

/** An exchange of several calls. */
export class BatchExchange extends Exchange {
  readonly body: string
  readonly isSmall = true
  readonly traceparent: string | undefined
  readonly #owner: ExchangeOwner
  readonly #attempts: readonly Attempt[]
  readonly #leftAt: number
  #waiting: number

  constructor(owner: ExchangeOwner, attempts: readonly Attempt[]) {
    super(owner.answerBytes, owner.answerRoom)
    this.#owner = owner
    this.#attempts = attempts
    this.#waiting = attempts.length
    this.body = `[${attempts.map(bodyOf).join(',')}]`
    for (const attempt of attempts) {
      this.traceparent ??= attempt.span?.traceparent
      attempt.batched = attempts.length
      attempt.exchange = this
    }
    this.#leftAt = owner.smallLeft()
  }

  /** An attempt is over: the others still wait. */
  leave(): void {
    this.#waiting--
    if (this.#waiting === 0) this.cancel()
  }

  protected override landed(): void {
    this.#owner.smallLanded(this.#leftAt)
  }

  protected received(status: number, text: string): void {
    const batch = isRefusal(status) ? undefined : readBatch(text, this.#attempts)
    if (batch === undefined) {
      this.#each((attempt) => this.#owner.failed(attempt, { kind: 'rubbish', status, text }))
      return
    }
    const { answers, refusal } = batch
    if (refusal !== undefined && !passing.has(refusal.code)) this.#owner.refusedBatch()
    this.#each((attempt, place) => {
      const answer = answers?.[place]
      if (answer === undefined) this.#owner.sendAlone(attempt)
      else this.#owner.answered(attempt, answer)
    })
  }

  protected receivedTooMuch(): void {
    this.#each((attempt) => this.#owner.sendAlone(attempt))
  }

  protected receivedWithoutRoom(): void {
    this.#each((attempt) => this.#owner.answered(attempt, withoutRoom))
  }

  protected broke(cause: unknown): void {
    this.#each((attempt) => this.#owner.failed(attempt, { kind: 'connection', cause }))
  }

  #each(tell: (attempt: Attempt, place: number) => void): void {
    const attempts = this.#attempts
    for (let place = 0; place < attempts.length; place++) {
      const attempt = attempts[place]
      if (attempt !== undefined && !attempt.hasEnded) tell(attempt, place)
    }
  }
}
