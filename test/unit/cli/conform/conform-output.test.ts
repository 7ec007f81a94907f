import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { createOutput } from '../../../../src/cli/conform/conform-output.js'
import { createProgress } from '../../../../src/cli/conform/conform-progress.js'
import type { CaseResult, Redactor } from '../../../../src/judge/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

/** A faulty redactor: it replaces nothing, and detects what it should have replaced. */
const holed: Redactor = { redact: (text) => text, survives: (text) => text.includes('hunter2') }

t.test('a text with a surviving secret is written neither to the terminal nor to a file', async (t) => {
  const out: string[] = []
  const err: string[] = []
  const io = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), env: {} }
  const output = createOutput(io, holed)
  const file = join(await temporaryFolder(t), 'report.json')
  output.print(['one', 'two'])
  await output.save(file, '{"a":1}')
  t.same(out, ['one\ntwo'])
  t.equal(await readFile(file, 'utf8'), '{"a":1}')
  t.equal(output.hasLeaked(), false)
  output.print(['three', 'the key is hunter2'])
  const other = `${file}.2`
  await output.save(other, '{"key":"hunter2"}')
  t.same(out, ['one\ntwo'])
  await t.rejects(readFile(other), { code: 'ENOENT' })
  t.equal(output.hasLeaked(), true)
  t.same(err, [
    'concordat conform: the output is withheld because it contains a secret. This is a defect of concordat.',
    `concordat conform: ${other} is withheld because it contains a secret. This is a defect of concordat.`,
  ])
})

t.test('an unwritable file is reported in one line', async (t) => {
  const io = { out: () => {}, err: () => {}, env: {} }
  const output = createOutput(io, holed)
  await t.rejects(output.save('/no/such/folder/report.json', 'x'), {
    name: 'UsageError',
    message: '/no/such/folder/report.json cannot be written: its folder does not exist',
  })
})

t.test('progress is one line that is overwritten on a terminal, and separate lines elsewhere', async (t) => {
  const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY, columns: 40 })
  const last = { id: `logs-filter/${'x'.repeat(100)}` } as CaseResult
  const terminal = stream(true)
  const progress = createProgress(12, { stream: terminal })
  progress.show({ done: 3, total: 12, last })
  progress.end()
  const clear = '\r\u001b[2K'
  const [before, line = '', after] = String(terminal.read()).split(clear)
  t.same([before, after], ['', ''])
  t.match(line, /^ {2}3 of 12 {2}logs-filter\/x+$/)
  t.ok(line.length < 40, 'it fits into the line')
  const pipe = stream(false)
  const lines = createProgress(12, { stream: pipe, interval: 1 })
  const [first] = (await once(pipe, 'data')) as readonly Buffer[]
  t.match(
    String(first),
    /^concordat conform: 0 of 12 cases after \d+ ms\n/,
    'also before the first case ends',
  )
  lines.show({ done: 5, total: 12, last })
  const [second] = (await once(pipe, 'data')) as readonly Buffer[]
  t.match(String(second), /^concordat conform: 5 of 12 cases after \d+ ms\n/)
  lines.end()
  const short = createProgress(12, { stream: pipe })
  short.show({ done: 12, total: 12, last })
  short.end()
  t.equal(pipe.read(), null, 'a run shorter than ten seconds prints none')
})
