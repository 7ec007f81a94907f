/** Length of a period of the bound, in milliseconds. */
const periodMs = 60_000

/** The lowest level of a warning. Lines below it have half of the bytes, so that they cannot displace warnings. */
const warning = 40

/** The level of the line that says why the process ends. It is always written, and no flood can repeat it. */
const fatal = 60

/** A bound of the log. */
export interface LogBound {
  /** Bytes of all lines in a minute. Lines below the level `warn` take at most half of them; `fatal` is always written. */
  readonly bytesPerMinute: number
  /** True while the bound does not apply. */
  readonly isUnbounded: () => boolean
}

/**
 * Bounds what is written. A line that would exceed the bound is left out. The first line of a later minute is preceded by
 * a warning with the number of lines that were left out; this warning and its line are not part of the bound.
 * @param write receives lines without their line ends; each begins with its level, as those of pino
 * @param now a monotonic clock, in milliseconds
 */
export function boundLog(
  write: (line: string) => void,
  { bytesPerMinute, isUnbounded }: LogBound,
  now: () => number = () => performance.now(),
): (line: string) => void {
  let since = now()
  let [bytes, omittedLines, omittedBytes] = [0, 0, 0]

  function begin(at: number): void {
    since = at
    bytes = 0
    if (omittedLines === 0) return
    const omitted = { omittedLines, omittedBytes, bytesPerMinute }
    ;[omittedLines, omittedBytes] = [0, 0]
    write(
      JSON.stringify({ level: warning, time: Date.now(), ...omitted, msg: 'lines of the log were left out' }),
    )
  }

  return (line) => {
    const at = now()
    if (at - since >= periodMs) begin(at)
    const size = Buffer.byteLength(line) + 1
    const level = Number(/^{"level":(\d+)/.exec(line)?.[1])
    const room = level < warning ? bytesPerMinute / 2 : bytesPerMinute
    if (bytes + size <= room || level === fatal || isUnbounded()) {
      bytes += size
      write(line)
    } else {
      omittedLines += 1
      omittedBytes += size
    }
  }
}
