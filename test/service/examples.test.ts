import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { cleanEnvironment, startService, uncounted } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

t.test('the QA example passes on a running service, and stops a pipeline on another contract', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const folder = join(await temporaryFolder(t), 'qa')
  await cp(join(root, 'examples/qa'), folder, { recursive: true })
  // What `npm install` does with the dependency on file:../..
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await symlink(root, join(folder, 'node_modules/concordat'))
  await symlink(join(root, 'bin/concordat.js'), join(folder, 'node_modules/.bin/concordat'))
  const conform = (url: string) =>
    promisify(execFile)('npm', ['run', 'conform'], {
      cwd: folder,
      env: cleanEnvironment({ ...uncounted, RPC_URL: url }),
    })
  const { stdout } = await conform(service.networks.test.url)
  t.match(stdout, /\b2 passed\b/)
  const report = await readFile(join(folder, 'report.xml'), 'utf8')
  t.match(report, /<testcase [^>]*balance/)
  await t.rejects(conform(`${service.networks.test.url}0`), 'an unknown key')
})
