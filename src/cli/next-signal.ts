/** Signals this close together, in milliseconds, are one: npm passes on the Ctrl-C that the terminal sends here, too. */
const sameSignalMs = 500

/**
 * Resolves on the first SIGTERM or SIGINT. A second one ends the process at once, as people expect of Ctrl-C, and so
 * does the deadline.
 * @param deadlineMilliseconds a stop that takes longer hangs
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
