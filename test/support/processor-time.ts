import { readFileSync } from 'node:fs'

/** Clock ticks of a second in proc(5). Every supported architecture of Linux has this value. */
const TICKS = 100

/**
 * Returns the processor time of this process and of all its descendants that have ended, in seconds. Without `/proc`,
 * the descendants are missing.
 */
export function processorTime(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000_000
  }
}
