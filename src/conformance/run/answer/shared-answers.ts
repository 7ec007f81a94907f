import type { Exchange } from '../../send/exchange.js'
import type { Request } from './build-request.js'

/** A request and its answer. */
export interface Asked {
  readonly request: Request
  readonly exchange: Exchange
}

/** The right to send a call, or the answer that another case has received. */
export interface Claim {
  /** Undefined where the claimant must send the call. */
  readonly asked?: Asked | undefined
  /** Shares the answer of the claimant; undefined where there is none. */
  settle(asked: Asked | undefined): void
}

/** Answers that the cases of one run share, by the call. Only a whole answer with HTTP 200 is shared. */
export class SharedAnswers {
  readonly #answers = new Map<string, Promise<Asked | undefined>>()

  /**
   * Waits for the answer of the same call, or lets the caller send it. After an answer that cannot be shared, the first
   * of the waiting cases sends the call again.
   * @param call what makes two calls the same; undefined for a call that is not shared
   */
  async claim(call: string | undefined): Promise<Claim | undefined> {
    if (call === undefined) return undefined
    for (;;) {
      const known = this.#answers.get(call)
      if (known === undefined) {
        let settle: Claim['settle'] = () => undefined
        this.#answers.set(
          call,
          new Promise((resolve) => {
            settle = resolve
          }),
        )
        return { settle }
      }
      const asked = await known
      if (asked?.exchange.reply?.status === 200) return { asked, settle: () => undefined }
      if (this.#answers.get(call) === known) this.#answers.delete(call)
    }
  }
}
