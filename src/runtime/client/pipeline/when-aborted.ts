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
    callbacks.delete(callback)
    if (callbacks.size === 0) signal.removeEventListener('abort', fire)
  }
}

/** The event names the signal: in workerd, `this` of a listener is the global object. */
function fire({ target }: Event): void {
  for (const callback of waiting.get(target as AbortSignal) ?? []) callback()
}
