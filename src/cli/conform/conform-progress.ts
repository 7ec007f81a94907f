import type { Progress } from '../../judge/index.js'
import { duration } from '../../judge/report/index.js'

/** Clears the current line of a terminal. */
const CLEAR = '\r\u001b[2K'

/** Milliseconds between progress lines on a stream that is not a terminal. */
const INTERVAL_MS = 10_000

/** The stream for progress, and how often to write. */
export interface ProgressOptions {
  readonly stream?: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>
  /** Interval between progress lines on a stream that is not a terminal, in milliseconds. */
  readonly interval?: number
}

/**
 * Shows the progress of a run. A terminal has one line that is updated; other streams get a line every ten
 * seconds.
 * @param total number of cases
 * @param options the stream and the interval
 */
export function createProgress(
  total: number,
  { stream = process.stderr, interval = INTERVAL_MS }: ProgressOptions = {},
): { readonly show: (progress: Progress) => void; readonly end: () => void } {
  if (stream.isTTY === true) {
    return {
      show: ({ done, last }) => {
        const line = `  ${done} of ${total}  ${last.id}`
        stream.write(`${CLEAR}${line.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`)
      },
      end: () => void stream.write(CLEAR),
    }
  }
  const from = performance.now()
  let ended = 0
  const timer = setInterval(() => {
    const time = duration(performance.now() - from)
    stream.write(`concordat conform: ${ended} of ${total} cases after ${time}\n`)
  }, interval)
  return {
    show: ({ done }) => {
      ended = done
    },
    end: () => clearInterval(timer),
  }
}
