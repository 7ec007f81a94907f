import { readFile } from 'node:fs/promises'
import { processesBelow } from '../../test/support/processes.js'

const MICROSECONDS_PER_TICK = 10_000

/**
 * Reads the processor time of a PostgreSQL server so far, in microseconds: that of the postmaster and of its processes,
 * also of those that have ended.
 * @param pid of the postmaster
 */
export async function databaseTime(pid: number): Promise<number> {
  const pids = [pid, ...(await processesBelow(pid)).map((facts) => facts.pid)]
  const times = await Promise.all(
    pids.map(async (one) => {
      const text = await readFile(`/proc/${one}/stat`, 'utf8').catch(() => '')
      // After the name, which ends with a bracket, the 3rd field is the state. User and system time are the 14th and
      // 15th, and those of ended processes the 16th and 17th.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const ticks = fields.slice(11, one === pid ? 15 : 13).map(Number)
      return ticks.reduce((sum, count) => sum + count, 0) * MICROSECONDS_PER_TICK
    }),
  )
  return times.reduce((sum, time) => sum + time, 0)
}
