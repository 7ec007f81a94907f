/**
 * Runs the quick unit tests of one room, which is a folder of `src/`, and the tests of the architecture.
 *
 *   npm run test:room -- judge
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const rooms = readdirSync(`${root}src`).filter((name) => existsSync(`${root}test/unit/${name}`))
const [room = '', ...others] = process.argv.slice(2)
if (!rooms.includes(room) || others.length > 0) {
  console.error(`Usage: npm run test:room -- ${rooms.join('|')}`)
  process.exit(2)
}
const files = ['test/groups/unit-*.test.ts', 'test/unit/architecture/*.test.ts']
const { status } = spawnSync(process.execPath, ['node_modules/.bin/tap', 'run', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TEST_ROOM: room },
})
process.exit(status ?? 1)
