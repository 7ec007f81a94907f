/** Returns a function that makes the value of each key once. A failure is not kept: the next call tries again. */
export function onceMade<Key, Value>(make: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const made = new Map<Key, Promise<Value>>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const making = make(key)
    made.set(key, making)
    making.catch(() => made.delete(key))
    return making
  }
}
