import { spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { toolsOf } from '../../support/missing-tools.js'
import '../../support/plain-children.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { findTool } from '../../support/tools.js'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** A line that finds a tool. */
const finding = (tool: string) => `await findTool('${tool}')\n`

t.test('the tools of a test file are those that it and its imports find', async (t) => {
  t.same(toolsOf(at('service/balancers.test.ts')), [
    'haproxy',
    'nginx',
    'nginx stream module',
    'postgresql',
    'setpriv',
  ])
  t.same(toolsOf(at('service/methods.test.ts')), [])
  const folder = await temporaryFolder(t)
  const file = join(folder, 'one.test.ts')
  await writeFile(join(folder, 'support.ts'), finding('curl'))
  await writeFile(join(folder, 'types.ts'), finding('git'))
  const imports = "import { path } from './support.js'\nimport type { A } from './types.js'\n"
  await writeFile(file, `${imports}${finding('nginx')}`)
  t.same(toolsOf(file), ['curl', 'nginx'], 'an import of types loads nothing')
  await writeFile(join(folder, 'two.test.ts'), finding('nignx'))
  t.throws(() => toolsOf(join(folder, 'two.test.ts')), {
    message: /nignx is not in test\/support\/tools\.ts/,
  })
})

t.test('a missing tool is an error with the command that installs it', async (t) => {
  const { PATH = '' } = process.env
  t.teardown(() => {
    process.env['PATH'] = PATH
  })
  process.env['PATH'] = ''
  await t.rejects(findTool('git'), {
    message: 'This needs git: apt-get update && apt-get install -y --no-install-recommends git',
  })
})

/** Lists the files of a suite on a machine that has Node.js alone. */
async function listed(folder: string, suite: string, env: NodeJS.ProcessEnv) {
  const path = join(folder, 'bin')
  await mkdir(path, { recursive: true })
  await symlink(process.execPath, join(path, 'node')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const run = [`--import=${import.meta.resolve('tsx')}`, at('run.ts'), suite, '--list']
  const { status, stdout } = spawnSync(process.execPath, run, {
    cwd: dirname(at('.')),
    encoding: 'utf8',
    env: { HOME: process.env['HOME'], ...env, PATH: path },
  })
  return { status, stdout }
}

t.test('files without their tools are listed as not run, which is an error in CI alone', async (t) => {
  const folder = await temporaryFolder(t)
  const { status, stdout } = await listed(folder, 'system', {})
  t.equal(status, 0)
  t.match(stdout, /^not run: ci-examples \(needs git\)$/m)
  t.match(stdout, /^to run them: apt-get update && apt-get install -y --no-install-recommends .*\bgit\b/m)
  t.match(stdout, /^test\/service\/access\.test\.ts$/m)
  t.match(await listed(folder, 'quick', { CI: 'true' }), {
    status: 1,
    stdout: 'not run: diff-review (needs git)',
  })
})
