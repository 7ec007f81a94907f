import { type JsonValue, RawJsonStream, RpcError } from '@concordat/rpc'
import { CancelledError } from '../protocol/reporter.js'

/** The calls in hand of one connection, by the id of their request. */
export class CancellableCalls {
  readonly #controllers = new Map<string, AbortController>()

  /**
   * Runs a call until it ends, also after a cancellation.
   * @throws CancelledError for a cancelled call that rejects or is not answered. An RpcError of the handler is kept
   */
  async run<Result>(
    idText: string,
    run: (cancellation: AbortSignal) => Result | PromiseLike<Result>,
  ): Promise<Result> {
    const key = keyOf(JSON.parse(idText))
    const controller = new AbortController()
    this.#controllers.set(key, controller)
    const reason = (): CancelledError | undefined => controller.signal.reason
    try {
      const result = await run(controller.signal)
      if (reason()?.isAnswered !== false) return result
      if (result instanceof RawJsonStream) result.source.cancel()
    } catch (cause) {
      const isKept = cause instanceof RpcError && reason()?.isAnswered
      if (reason() === undefined || isKept) throw cause
    } finally {
      // A caller may have used the id again.
      if (this.#controllers.get(key) === controller) this.#controllers.delete(key)
    }
    throw reason()
  }

  /** True for the id of a call in hand. */
  has(id: JsonValue | undefined): boolean {
    return this.#controllers.has(keyOf(id))
  }

  /** Cancels the call with an id. Unknown ids are ignored. */
  cancel(id: JsonValue | undefined, isAnswered: boolean): void {
    this.#controllers.get(keyOf(id))?.abort(new CancelledError(isAnswered))
  }
}

/** Numbers with the same value are the same id, however they are written. A missing id is no call's. */
function keyOf(id: JsonValue | undefined): string {
  return JSON.stringify(id) ?? ''
}
