import type { Progress } from '../conformance/index.js'

/** Erases the line and goes to its beginning. */
const CLEAR = '\r\u001b[2K'

/** One line on a terminal that says how far a run is; nothing where the error output is no terminal. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr): {
  readonly show: (progress: Progress) => void
  readonly end: () => void
} {
  if (stream.isTTY !== true) return { show: () => {}, end: () => {} }
  return {
    show: ({ done, total, last }) => {
      const line = `  ${done} of ${total}  ${last.id}`
      stream.write(`${CLEAR}${line.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`)
    },
    end: () => void stream.write(CLEAR),
  }
}
