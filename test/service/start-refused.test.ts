import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runConcordat, runInProcess } from '../support/service.js'

const folder = await mkdtemp(join(tmpdir(), 'concordat-start-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

t.test('invalid input: one clear line, exit code 2, nothing written', async (t) => {
  const unwritable = join(folder, 'unwritable')
  await writeFile(unwritable, 'a file, no folder')
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const data = join(folder, 'never-made')
  const rows: [string[], Record<string, string>, RegExp][] = [
    [['--port', 'x'], {}, /--port must be a whole number/],
    [['--prot', '1'], {}, /--prot/],
    [['extra'], {}, /too many arguments/],
    [['--port'], {}, /--port/],
    [['--ready-file', '--port', '0'], {}, /--ready-file/],
    [['--ready-file', ''], {}, /--ready-file needs a value/],
    [[], { CONCORDAT_LOG_LEVEL: 'loud', CONCORDAT_HOST: '!' }, /CONCORDAT_HOST.*CONCORDAT_LOG_LEVEL/],
    [[], { CONCORDAT_LIMIT_REQUESTS_PER_DAY: '25001' }, /CONCORDAT_LIMIT_REQUESTS_PER_DAY/],
    [[], { CONCORDAT_NODES_TEST: 'nowhere' }, /CONCORDAT_NODES_TEST/],
  ]
  for (const [args, env, message] of rows) {
    const { code, out, err } = await runInProcess(['start', '--data', data, ...args], env)
    t.equal(code, 2, `${args} ${JSON.stringify(env)}`)
    t.equal(out, '')
    t.match(err, message)
    t.equal(err.trim().split('\n').length, 1, err)
  }
  t.notOk((await readdir(folder)).includes('never-made'))
  const inUse = await runConcordat(['start', '--data', join(folder, 'in-use'), '--port', String(port)])
  t.equal(inUse.code, 2)
  t.match(inUse.err, new RegExp(`127.0.0.1:${port} is in use`))
  const noFolder = await runConcordat(['start', '--data', unwritable, '--port', '0'])
  t.equal(noFolder.code, 2)
  t.match(noFolder.err, unwritable)
  t.equal(noFolder.err.trim().split('\n').length, 1, noFolder.err)
})
