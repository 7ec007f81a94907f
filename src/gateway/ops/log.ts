import { type Logger, pino, stdSerializers } from 'pino'
import { QueryError } from '../store/connection.js'

/** The service's log: one JSON object a line. Keys are never logged, only their ids. */
export type Log = Logger

/**
 * Makes the log.
 * @param level the least severe level that is written
 * @param write takes each line, without its line end
 */
export function createLog(level: string, write: (line: string) => void): Log {
  const serializers = { err: (error: unknown) => stdSerializers.err(withoutParameters(error) as Error) }
  return pino({ level, base: null, serializers }, { write: (line: string) => write(line.trimEnd()) })
}

/** What drizzle throws repeats a statement's parameters, addresses and sealed keys among them; its cause does not. */
function withoutParameters(error: unknown): unknown {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof QueryError) return inner
  }
  return error
}
