/**
 * `npm run test:newest`: the tests of memory, streams and HTTP on the newest long-term version of Node.js. Tests and
 * services run on it. Versions of V8 differ in what they keep in memory, and versions of Node.js in streams and HTTP.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findTool } from './support/tools.js'

const root = fileURLToPath(new URL('..', import.meta.url))

const tests = [
  'test/service/{heavy-use,http-edge,logs,request-bounds}.test.ts',
  'test/service/server/{connections,http,new-connections,slow-readers,sockets,stop,streams,unreadable-requests}.ts',
  'test/unit/service/gateway/store/{backup-file,embedded/compiler-memory.process}.test.ts',
]

const path = await findTool('newest Node.js')
const { status } = spawnSync(
  'node',
  ['node_modules/.bin/tap', 'run', '--reporter=tee', '--reporter-arg=.tap/run.tap', ...tests],
  { cwd: root, stdio: 'inherit', env: { ...process.env, PATH: path } },
)
process.exit(status ?? 1)
