/** A place in a text, counted from 1. */
export interface SourcePosition {
  readonly line: number
  readonly column: number
}

/** Creates a function that converts offsets of a text into lines and columns. */
export function lineFinder(text: string): (offset: number) => SourcePosition {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}
