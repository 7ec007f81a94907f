import type { Dispatcher } from 'undici'
import { isList } from '../hex.js'
import type { LogFlow, LogReceiver, LogText } from '../node-call.js'
import type { Attempt } from './attempt.js'
import { Exchange } from './exchange.js'
import { bodyOf, type ExchangeOwner, isRefusal } from './exchanges.js'
import { LogScanner } from './log-scanner.js'
import { readLog } from './log-text.js'
import { readAnswer } from './read-answer.js'

/** Bytes of an answer around its list of logs: of one that has none, too. */
const mostAround = 1024 * 1024

/**
 * An exchange of one call of eth_getLogs, whose logs are told while they come. The node is held back while their
 * receiver has no room; that is no time of the node's.
 */
export class LogExchange extends Exchange {
  readonly body: string
  readonly isSmall = false
  readonly traceparent: string | undefined
  readonly #owner: ExchangeOwner
  readonly #attempt: Attempt
  readonly #receiver: LogReceiver
  readonly #scanner = new LogScanner()
  /** How long the node may be silent, in milliseconds. */
  readonly #patience: number
  #status = 0

  constructor(owner: ExchangeOwner, attempt: Attempt, receiver: LogReceiver) {
    super(mostAround)
    this.#owner = owner
    this.#attempt = attempt
    this.#receiver = receiver
    this.#patience = attempt.expiresAt - attempt.startedAt
    this.body = bodyOf(attempt)
    this.traceparent = attempt.span?.traceparent
    attempt.batched = 1
    attempt.exchange = this
  }

  /** The attempt is over: nobody else waits for the answer. */
  leave(): void {
    this.cancel()
  }

  override onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
    super.onResponseStart(controller, status)
  }

  /** Takes the logs out of what came. */
  protected override kept(controller: Dispatcher.DispatchController, chunk: Buffer): Buffer {
    if (isRefusal(this.#status)) return chunk
    const found: Buffer[] = []
    const around = this.#scanner.read(chunk, found)
    const logs: LogText[] = []
    let isRubbish = this.#scanner.isRubbish
    for (const bytes of found) {
      const log = readLog(bytes)
      if (log === undefined) isRubbish = true
      else logs.push(log)
    }
    if (isRubbish) this.#end('rubbish', found.at(-1) ?? chunk)
    else if (logs.length > 0) this.#follow(controller, this.#receiver.take(logs), chunk)
    return around
  }

  #follow(controller: Dispatcher.DispatchController, flow: LogFlow, chunk: Buffer): void {
    const attempt = this.#attempt
    if (flow === 'enough' || flow === 'rubbish') {
      this.#end(flow, chunk)
      return
    }
    attempt.expiresAt = performance.now() + this.#patience
    if (flow === 'more') return
    controller.pause()
    attempt.expiresAt = Number.POSITIVE_INFINITY
    flow.then(() => {
      if (attempt.hasEnded) return
      attempt.expiresAt = performance.now() + this.#patience
      controller.resume()
    })
  }

  #end(flow: 'enough' | 'rubbish', bytes: Buffer): void {
    if (!this.cancel()) return
    if (flow === 'enough') this.#owner.answered(this.#attempt, { result: [] })
    else this.#failed(bytes.toString('utf8'))
  }

  protected received(status: number, text: string): void {
    const answer = isRefusal(status) ? undefined : readAnswer(text, this.#attempt.id)
    const isWhole = answer?.error !== undefined || (isList(answer?.result) && answer.result.length === 0)
    if (answer === undefined || !isWhole) this.#failed(text)
    else this.#owner.answered(this.#attempt, answer)
  }

  protected receivedTooMuch(): void {
    this.#failed(`more than ${mostAround} bytes that are no logs`)
  }

  protected receivedWithoutRoom(): void {
    this.receivedTooMuch()
  }

  protected broke(cause: unknown): void {
    this.#owner.failed(this.#attempt, { kind: 'connection', cause })
  }

  #failed(text: string): void {
    this.#owner.failed(this.#attempt, { kind: 'rubbish', status: this.#status, text })
  }
}
