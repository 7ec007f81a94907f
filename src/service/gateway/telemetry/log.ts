import { type Logger, pino, stdSerializers } from 'pino'
import { QueryError } from '../store/index.js'
import { boundLog } from './bound-log.js'

/** The service's log: one JSON object per line. Keys are never logged, only their ids. */
export type Log = Logger

/**
 * Creates the log. A later change of its level also applies to child logs.
 * @param level the least severe level that is written
 * @param write receives each line, without its line end
 * @param bytesPerMinute bound of all lines in a minute; it does not apply at the levels `debug` and `trace`
 */
export function createLog(
  level: string,
  write: (line: string) => void,
  bytesPerMinute = Number.POSITIVE_INFINITY,
): Log {
  const serializers = { err: (error: unknown) => stdSerializers.err(withoutParameters(error) as Error) }
  const children: Logger[] = []
  const isUnbounded = () => log.isLevelEnabled('debug')
  const writeBounded = boundLog(write, { bytesPerMinute, isUnbounded })
  const log = pino(
    { level, base: null, serializers, onChild: (child) => children.push(child) },
    { write: (line: string) => writeBounded(line.trimEnd()) },
  )
  // Children share their parent's listeners.
  log.on('level-change', (label, _value, _before, _valueBefore, changed) => {
    if (changed === log) for (const child of children) child.level = label
  })
  return log
}

/**
 * Returns the database error without drizzle's wrapper. The wrapper contains the parameters of the statement,
 * including addresses and sealed keys.
 */
export function withoutParameters(error: unknown): unknown {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof QueryError) return inner
  }
  return error
}
