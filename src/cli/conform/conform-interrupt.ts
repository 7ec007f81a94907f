/** Signals this close together, in milliseconds, are one: npx passes on the Ctrl-C that the terminal sends here, too. */
const SAME_SIGNAL_MS = 500

/** Ctrl-C, or SIGTERM, stops a run; a second one ends the process at once, as it does without a run. */
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
  // The second of two that are one may come when the run has ended already: it must not end the process then.
  const end = () => {
    if (first === undefined) forget()
  }
  return { signal: controller.signal, end }
}
