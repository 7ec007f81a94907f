import t from 'tap'
import { createLog, QueryError } from '../../../../../src/service/gateway/index.js'
import { boundLog } from '../../../../../src/service/gateway/telemetry/bound-log.js'

/** The entries that `use` logs, as objects. */
function written(level: string, use: (log: ReturnType<typeof createLog>) => void) {
  const lines: string[] = []
  use(createLog(level, (line) => lines.push(line)))
  return lines.map((line) => JSON.parse(line))
}

t.test('an entry is one line of JSON, at the selected level or a more severe one', async (t) => {
  const entries = written('warn', (log) => {
    log.info('quiet')
    log.warn({ keyId: 'key_1' }, 'two\nlines')
  })
  t.match(entries, [{ level: 40, keyId: 'key_1', msg: 'two\nlines' }])
  t.equal(entries.length, 1)
})

t.test('a failed statement is logged without its parameters', async (t) => {
  const cause = new QueryError({ message: 'duplicate key', code: '23505', constraint: 'api_keys_digest' })
  const drizzle = new Error('Failed query: insert … params: ada@example.com', { cause })
  const [entry] = written('error', (log) =>
    log.error({ err: new Error('no lease', { cause: drizzle }) }, 'failed'),
  )
  t.match(entry.err, { type: 'QueryError', message: 'duplicate key', code: '23505' })
  t.notMatch(JSON.stringify(entry), /ada@example\.com/)
})

t.test('every other error is logged with its causes', async (t) => {
  const [entry] = written('error', (log) =>
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }),
  )
  t.match(entry.err.message, 'outer: inner')
})

t.test('a later change of the level also applies to child loggers', async (t) => {
  const entries = written('info', (log) => {
    const child = log.child({ network: 'test' })
    child.debug('not yet')
    log.level = 'debug'
    child.debug('now')
    log.debug('here')
    log.level = 'error'
    child.warn('no more')
  })
  t.match(entries, [{ network: 'test', msg: 'now' }, { msg: 'here' }])
  t.equal(entries.length, 2)
})

t.test('lines over the bound of a minute are left out and counted in the next one', (t) => {
  const minute = 60_000
  const line = (level: number) => `{"level":${level},"msg":"${'x'.repeat(74)}"}`
  let time = 0
  let isUnbounded = false
  let lines: string[] = []
  const write = boundLog(
    (written) => lines.push(written),
    { bytesPerMinute: 1_000, isUnbounded: () => isUnbounded },
    () => time,
  )
  t.equal(line(30).length, 95, 'with its line end, ten of them are 960 bytes')
  for (let count = 0; count < 20; count++) write(line(30))
  t.equal(lines.length, 5, 'half of the bytes')
  for (let count = 0; count < 20; count++) write(line(50))
  t.equal(lines.length, 10, 'the other half is for warnings and errors')
  write(line(60))
  t.equal(lines.length, 11, 'the reason for which a process ends is always written')
  isUnbounded = true
  write(line(20))
  t.equal(lines.length, 12)
  isUnbounded = false
  time = minute
  lines = []
  write(line(30))
  t.match(JSON.parse(lines[0] ?? ''), {
    level: 40,
    omittedLines: 30,
    omittedBytes: 30 * 96,
    bytesPerMinute: 1_000,
  })
  t.equal(lines[1], line(30))
  time = 2 * minute
  write(line(30))
  t.equal(lines.length, 3, 'nothing was left out')
  t.end()
})
