import { type Logger, pino } from 'pino'

/** The service's log: one JSON object a line. Keys are never logged, only their ids. */
export type Log = Logger

/**
 * Makes the log.
 * @param level the least severe level that is written
 * @param write takes each line, without its line end
 */
export function createLog(level: string, write: (line: string) => void): Log {
  return pino({ level, base: null }, { write: (line: string) => write(line.trimEnd()) })
}
