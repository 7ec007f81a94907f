/**
 * Processes items in order with bounded concurrency. Rejects on the first error.
 * @param size maximum concurrency, at least 1
 */
export async function inPool<Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const worker = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: Math.max(1, size) }, worker))
}
