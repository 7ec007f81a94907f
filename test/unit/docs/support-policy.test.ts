import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { nodeVersions } from '../../../bin/install-node.js'

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

t.test('SUPPORT.md names the versions of Node.js that a release is tested with', async (t) => {
  const [, floor = '', others = ''] =
    /^\| Node\.js \| 20 \(from ([\d.]+)\), ([\d, ]+) \|/m.exec(read('SUPPORT.md')) ?? []
  t.same(['20', ...others.split(', ')], nodeVersions)
  t.equal(JSON.parse(read('package.json')).engines.node, `>=${floor}`)
})
