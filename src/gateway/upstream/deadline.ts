/**
 * Runs something under a deadline. Timer and listener are gone when it ends: a call that is answered at once leaves
 * nothing behind for the rest of its time.
 * @param timeoutMs after which the deadline aborts with a TimeoutError
 * @param caller aborts the deadline with its own reason
 * @param run gets the deadline's signal
 */
export async function withDeadline<T>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  run: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const leave = () => controller.abort(caller?.reason)
  const expire = () => controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'))
  const timer = setTimeout(expire, timeoutMs)
  if (caller?.aborted) leave()
  caller?.addEventListener('abort', leave, { once: true })
  try {
    return await run(controller.signal)
  } finally {
    clearTimeout(timer)
    caller?.removeEventListener('abort', leave)
  }
}
