import { chmod, writeFile } from 'node:fs/promises'
import { findTool } from '../../test/support/tools.js'

/** The wall clock of a process. */
export interface Clock {
  /** Environment of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Sets it ahead, or behind, by a time in seconds. */
  set(seconds: number): Promise<void>
}

/**
 * Creates a clock that faketime reads from a file. Time goes on at its usual speed, and the monotonic clock is true.
 * @param file may be read by every user
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
