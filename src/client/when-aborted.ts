/** Callbacks by signal. All share one listener, because runtimes warn about many listeners on one signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when a signal fires.
 * @param signal the signal
 * @param callback called once
 * @returns a function that removes the callback
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = waiting.get(signal) ?? listenedTo(signal)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
  }
}

function listenedTo(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>()
  waiting.set(signal, callbacks)
  const fire = () => {
    for (const callback of [...callbacks]) callback()
  }
  signal.addEventListener('abort', fire, { once: true })
  return callbacks
}
