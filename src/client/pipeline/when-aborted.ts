/** The callbacks of each signal. A signal has one listener: runtimes warn about many. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when a signal fires.
 * @param signal the signal, not aborted yet
 * @param callback called once
 * @returns a function that removes the callback, and the listener with the last callback
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = waiting.get(signal) ?? new Set()
  waiting.set(signal, callbacks.add(callback))
  // Adding it again has no effect.
  signal.addEventListener('abort', fire)
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return
    signal.removeEventListener('abort', fire)
    waiting.delete(signal)
  }
}

function fire(this: AbortSignal): void {
  for (const callback of waiting.get(this) ?? []) callback()
}
