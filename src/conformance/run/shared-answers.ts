import type { Exchange } from '../send/exchange.js'
import type { Request } from './build-request.js'

/** A request with what came of it. */
export interface Asked {
  readonly request: Request
  readonly exchange: Exchange
}

/** Answers that cases of one run share, by the call that they are to. */
export class SharedAnswers {
  readonly #answers = new Map<string, Promise<Asked>>()

  /**
   * What the same call got before, or what it gets now. Only a whole answer with HTTP 200 is shared.
   * @param call what makes two calls the same
   * @param ask sends it
   */
  async of(
    call: string,
    ask: () => Promise<Asked>,
  ): Promise<{ readonly asked: Asked; readonly isFirst: boolean }> {
    const known = this.#answers.get(call)
    if (known === undefined) {
      const answer = ask()
      this.#answers.set(call, answer)
      return { asked: await answer, isFirst: true }
    }
    const asked = await known.catch(() => undefined)
    if (asked?.exchange.reply?.status === 200) return { asked, isFirst: false }
    // It cannot be shared: the first of those who waited asks again, and the others wait for that.
    if (this.#answers.get(call) === known) this.#answers.delete(call)
    return this.of(call, ask)
  }
}
