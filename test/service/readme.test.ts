import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { cleanEnvironment, startService } from '../support/service.js'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')

/** The code blocks of a language, in order. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code)

const service = await startService()
t.teardown(() => service.stop())
const env = cleanEnvironment({ RPC_URL: service.networks.test.url, CONCORDAT_DATA: service.data })

t.test('the shell examples run', async (t) => {
  const [calls = '', keys = ''] = blocks('sh')
  const { stdout } = await execute('bash', ['-euc', calls], { env })
  t.match(stdout, /^{"jsonrpc":"2.0","id":1,"result":"0x[0-9a-f]+"}/)
  t.match(stdout, '{"jsonrpc":"2.0","id":1,"result":"0x1f"},{"jsonrpc":"2.0","id":2,"result":{')
  const { stdout: listed } = await execute('bash', ['-euc', keys], { env, cwd: root })
  t.match(listed, /http:\/\/127\.0\.0\.1:\d+\/[A-Za-z0-9]{30}-T/)
  t.match(listed, /ada@example\.com/)
})

t.test('the viem example runs', async (t) => {
  const [code = ''] = blocks('ts')
  const file = join(root, 'node_modules', '.cache', `readme-${process.pid}.mts`)
  await mkdir(join(root, 'node_modules', '.cache'), { recursive: true })
  t.teardown(() => rm(file))
  await writeFile(file, code)
  const { stdout } = await execute(process.execPath, ['--import=tsx', file], { env, cwd: root })
  t.match(stdout, /^block \d+, \d+ logs in the last 101 blocks$/m)
})

t.test('the server example serves a contract of its own', async (t) => {
  const [, code = ''] = blocks('ts')
  const folder = await mkdtemp(join(root, 'node_modules', '.cache', 'readme-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const document = {
    openrpc: '1.3.2',
    info: { title: 'Adder', version: '1.0.0' },
    methods: [
      {
        name: 'add',
        paramStructure: 'by-position',
        params: ['a', 'b'].map((name) => ({ name, required: true, schema: { type: 'number' } })),
        result: { name: 'sum', schema: { type: 'number' } },
      },
    ],
  }
  await writeFile(join(folder, 'your-openrpc.json'), JSON.stringify(document))
  const launcher = join(root, 'bin', 'concordat.js')
  await execute(process.execPath, [launcher, 'generate', 'your-openrpc.json', '--out', 'generated'], {
    cwd: folder,
    env,
  })
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules', 'concordat'))
  const script = `${code.replace('8080', '0')}
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'add', params: [40, 2] })
    const answer = await fetch(server.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    console.log(await answer.text())
    await server.close()`
  await writeFile(join(folder, 'server.mts'), script)
  const tsconfig = join(root, 'tsconfig.json')
  const { stdout } = await execute(process.execPath, ['--import=tsx', join(folder, 'server.mts')], {
    cwd: root,
    env: { ...env, TSX_TSCONFIG_PATH: tsconfig },
  })
  t.equal(stdout.trim(), '{"jsonrpc":"2.0","id":1,"result":42}')
})
