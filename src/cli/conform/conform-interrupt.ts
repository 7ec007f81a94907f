/**
 * Signals within this time, in milliseconds, count as one. npx forwards the Ctrl-C that the terminal also
 * sends here.
 */
const SAME_SIGNAL_MS = 500

/** Stops a run on SIGINT or SIGTERM. A second signal ends the process immediately. */
export function stopOnSignal(): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController()
  let first: number | undefined
  const signals = ['SIGINT', 'SIGTERM'] as const
  const forget = () => {
    for (const name of signals) process.removeListener(name, stop)
  }
  const stop = (name: NodeJS.Signals) => {
    const now = performance.now()
    first ??= now
    controller.abort()
    if (now - first < SAME_SIGNAL_MS) return
    forget()
    process.kill(process.pid, name)
  }
  for (const name of signals) process.on(name, stop)
  // The duplicate of a signal may arrive after the run: keep the handler so that it does not end the process.
  const end = () => {
    if (first === undefined) forget()
  }
  return { signal: controller.signal, end }
}
