import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import '../../support/plain-children.js'

t.test('child processes of a test load nothing of the test runner', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'process.env.NODE_OPTIONS'])
  t.not(stdout, '')
  t.notMatch(stdout, /tapjs/)
  t.equal(process.env['NODE_V8_COVERAGE'], undefined)
})
