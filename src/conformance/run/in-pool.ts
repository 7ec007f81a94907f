/**
 * Works on items in their order, several at a time; the first error ends it.
 * @param size how many at a time; at least one
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
