import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { takeQuickCoverage, withQuickCoverage } from '../../stored-coverage.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

t.test('the coverage of quick unit tests is used once they have passed with the same files', async (t) => {
  const root = await temporaryFolder(t)
  const write = (text: string) => writeFileSync(join(root, 'source.ts'), text)
  const taken = () => readdirSync(join(root, '.tap/unit-coverage'))
  const run = (name: string, passes: boolean) =>
    withQuickCoverage(({ NODE_V8_COVERAGE = '' }) => {
      writeFileSync(join(NODE_V8_COVERAGE, name), '{}')
      return passes
    }, root)
  write('1')
  t.notOk(takeQuickCoverage(root), 'they have never run')
  t.notOk(run('failed.json', false))
  t.notOk(takeQuickCoverage(root), 'they have failed')
  t.ok(run('passed.json', true))
  t.ok(takeQuickCoverage(root))
  t.same(taken(), ['passed.json'], 'without that of the run before')
  write('2')
  t.notOk(takeQuickCoverage(root), 'a file has changed')
  t.same(taken(), [])
  write('1')
  t.ok(takeQuickCoverage(root))
})
