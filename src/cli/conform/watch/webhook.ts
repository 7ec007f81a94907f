import { setTimeout as after } from 'node:timers/promises'

/** Limits of the calls of a webhook. */
export const webhookDefaults = {
  /** Attempts of one call. */
  attempts: 5,
  /** Milliseconds before the second attempt. Each further pause is twice as long. */
  firstPauseMilliseconds: 1_000,
  /** Time limit of an attempt, in milliseconds. */
  timeoutMilliseconds: 10_000,
  /** Calls that wait. Further ones are dropped. */
  waiting: 100,
  /** Maximum duration of `close`, in milliseconds. */
  closeMilliseconds: 5_000,
} as const

/** Options of a webhook. */
export interface WebhookOptions {
  readonly url: string
  readonly firstPauseMilliseconds?: number
  /** Called with one sentence, without the URL, for a call that was given up. */
  readonly onTrouble: (message: string) => void
}

/** Sends JSON texts to a URL, one after the other, in order. */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #stopping = new AbortController()
  readonly #ending = new AbortController()
  #last: Promise<void> = Promise.resolve()
  #waiting = 0
  #delivered = 0
  #lost = 0

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  /** Numbers of calls that were delivered, and that were given up. */
  get counts(): { readonly delivered: number; readonly lost: number } {
    return { delivered: this.#delivered, lost: this.#lost }
  }

  /** Sends a text when all earlier ones are done. Never fails. */
  send(body: string): void {
    if (this.#waiting === webhookDefaults.waiting) {
      this.#lose(`${webhookDefaults.waiting} calls already wait`)
      return
    }
    this.#waiting++
    this.#last = this.#last.then(async () => {
      const trouble = await this.#deliver(body)
      this.#waiting--
      if (trouble === undefined) this.#delivered++
      else this.#lose(trouble)
    })
  }

  /** Ends all pauses, so that each waiting call has one more attempt, and waits for these up to 5 seconds. */
  async close(): Promise<void> {
    this.#stopping.abort()
    const deadline = setTimeout(() => this.#ending.abort(), webhookDefaults.closeMilliseconds)
    await this.#last
    clearTimeout(deadline)
  }

  #lose(trouble: string): void {
    this.#lost++
    this.#options.onTrouble(`a call of the webhook was given up: ${trouble}`)
  }

  /** Returns why the text could not be delivered; undefined if it was. */
  async #deliver(body: string): Promise<string | undefined> {
    const { firstPauseMilliseconds = webhookDefaults.firstPauseMilliseconds } = this.#options
    const { signal } = this.#stopping
    for (let attempt = 1; ; attempt++) {
      const { trouble, isFinal } = await this.#attempt(body)
      if (trouble === undefined || isFinal) return trouble
      if (attempt === webhookDefaults.attempts || signal.aborted) return trouble
      // After the pause is aborted, the loop makes the last attempt.
      await after(firstPauseMilliseconds * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined)
    }
  }

  async #attempt(body: string): Promise<{ readonly trouble?: string; readonly isFinal?: boolean }> {
    try {
      const response = await fetch(this.#options.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'concordat-conform' },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([
          this.#ending.signal,
          AbortSignal.timeout(webhookDefaults.timeoutMilliseconds),
        ]),
      })
      await response.body?.cancel()
      const { status, ok } = response
      if (ok) return {}
      return { trouble: `HTTP ${status}`, isFinal: status < 500 && status !== 429 && status !== 408 }
    } catch (error) {
      return { trouble: reasonOf(error) }
    }
  }
}

/** Returns the code of a network error, which has no URL, unlike its message. */
function reasonOf(error: unknown): string {
  const { cause, name } = error as Error
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return /^(?:Timeout|Abort)Error$/.test(name) ? 'no answer in time' : (code ?? 'it cannot be reached')
}
