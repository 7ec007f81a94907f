/**
 * Signals within this time, in milliseconds, count as one. npm forwards the Ctrl-C that the terminal also
 * sends here.
 */
const sameSignalMs = 500

/**
 * Resolves on the first SIGTERM or SIGINT. A second signal, or the deadline, ends the process immediately.
 * @param deadlineMilliseconds maximum duration of a stop
 */
export function nextSignal(deadlineMilliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const onSignal = () => {
      if (first === undefined) {
        first = performance.now()
        setTimeout(() => process.exit(1), deadlineMilliseconds).unref()
        resolve()
      } else if (performance.now() - first > sameSignalMs) process.exit(1)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
