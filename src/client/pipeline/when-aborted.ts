/** The callbacks of a signal, and its only listener: runtimes warn about many listeners on one signal. */
interface Listening {
  readonly callbacks: Set<() => void>
  readonly listener: () => void
}

const bySignal = new WeakMap<AbortSignal, Listening>()

/**
 * Calls back when a signal fires.
 * @param signal the signal, not aborted yet
 * @param callback called once
 * @returns a function that removes the callback, and the listener with the last callback
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = bySignal.get(signal) ?? listenTo(signal)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size > 0) return
    signal.removeEventListener('abort', listener)
    bySignal.delete(signal)
  }
}

function listenTo(signal: AbortSignal): Listening {
  const callbacks = new Set<() => void>()
  const listener = () => {
    for (const callback of callbacks) callback()
  }
  signal.addEventListener('abort', listener)
  const listening = { callbacks, listener }
  bySignal.set(signal, listening)
  return listening
}
