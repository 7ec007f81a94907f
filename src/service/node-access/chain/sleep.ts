/** Maximum delay of a timer in milliseconds. Longer delays would fire immediately. */
export const longestTimer = 2_147_483_647

/**
 * Waits, for at most 24 days. Rejects with the reason of the signal when it aborts.
 * @param milliseconds time to wait
 */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', cancel)
        resolve()
      },
      Math.min(milliseconds, longestTimer),
    )
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
  })
}
