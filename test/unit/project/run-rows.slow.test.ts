import t from 'tap'
import type { Row } from '../../../lab/matrix/row.js'
import { lineOf, runRows } from '../../../lab/matrix/run-rows.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const works = { kind: 'works', output: 'right' } as const
const cannot = { kind: 'cannot', reason: 'it is old', output: 'wrong', instead: 'use another' } as const
const row = (form: string, command: string, more: Partial<Row> = {}): Row => ({
  ...{ tool: 'Shell', version: '1', form, install: [], files: { 'text/a.txt': 'right\n' }, command },
  ...{ expected: works, ...more },
})

t.test('a row passes only in the way that it states', async (t) => {
  const home = await temporaryFolder(t)
  const folder = await temporaryFolder(t)
  const rows = [
    row('works', 'cat text/a.txt && test "$RPC_URL" = http://service'),
    row('fails', 'cat text/a.txt && exit 3'),
    row('prints something else', 'echo left'),
    row('cannot, as stated', 'echo wrong && exit 1', { expected: cannot }),
    row('can after all', 'echo wrong', { expected: cannot }),
    row('cannot for another reason', 'exit 1', { expected: cannot }),
    row('is not installed', 'true', { install: ['./missing.tgz'] }),
  ]
  const lines: string[] = []
  for await (const outcome of runRows(rows, { home, folder, url: 'http://service' }))
    lines.push(lineOf(outcome))
  const [missing = '', ...others] = lines.toReversed()
  t.same(others.toReversed(), [
    'Shell 1, works: works',
    'Shell 1, fails: failed: exit code 3; expected success with right; the output is:\nright\n',
    'Shell 1, prints something else: failed: exit code 0; expected success with right; the output is:\nleft\n',
    'Shell 1, cannot, as stated: cannot: it is old',
    'Shell 1, can after all: failed: exit code 0; expected a failure with wrong; the output is:\nwrong\n',
    'Shell 1, cannot for another reason: failed: exit code 1; expected a failure with wrong; the output is:\n',
  ])
  t.match(missing, /^Shell 1, is not installed: not run here: its installation failed: .*missing\.tgz/s)
})
