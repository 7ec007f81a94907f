import { chmod, writeFile } from 'node:fs/promises'
import { findTool } from '../../test/support/tools.js'

/** The wall clock of a process. */
export interface Clock {
  /** Environment variables of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock a number of seconds ahead of real time. Negative numbers set it behind. */
  set(seconds: number): Promise<void>
}

/**
 * Creates a clock whose offset faketime reads from a file. Time passes at its usual speed, and the monotonic clock is
 * unaffected.
 * @param file file of the offset, which every user may read
 */
export async function createClock(file: string): Promise<Clock> {
  const library = await findTool('faketime')
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`)
  await set(0)
  await chmod(file, 0o644)
  return {
    set,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DISABLE_SHM: '1',
    },
  }
}
