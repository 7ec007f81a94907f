/**
 * Wraps a read so that calls within a short time share one result.
 * @param read reads the value of a name
 * @param keptMs time for which a started read is shared, in milliseconds; failed reads are not shared any longer
 */
export function coalesceReads<T>(
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
