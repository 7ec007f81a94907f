/**
 * Makes what lets several readers share a read: who asks while one is under way, or soon after, gets what it gives.
 * @param read what is shared, by a name
 * @param keptMs how long after its beginning a read is shared, in milliseconds; one that fails is shared no longer
 */
export function shareReads<T>(
  read: (name: string) => Promise<T>,
  keptMs: number,
): (name: string) => Promise<T> {
  const shared = new Map<string, Promise<T>>()
  return (name) => {
    const known = shared.get(name)
    if (known !== undefined) return known
    const reading = read(name)
    shared.set(name, reading)
    const forget = () => {
      if (shared.get(name) === reading) shared.delete(name)
    }
    setTimeout(forget, keptMs).unref()
    reading.catch(forget)
    return reading
  }
}
