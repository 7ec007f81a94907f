import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openGuide } from '../../support/guide.js'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { reader } from '../../support/reader.js'
import { runPrograms } from '../../support/reader-programs.js'
import { runConcordat } from '../../support/service.js'
import { service } from './service.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const backend = await readFile(join(root, 'docs/backend.md'), 'utf8')
const operation = await openGuide('docs/operator.md', ['Serve it', 'Keys'])

t.test('the commands about keys run', async (t) => {
  const [keys] = operation.commands('Keys')
  const listed = await keys?.run({ cwd: root, env: { CONCORDAT_DATA: service.data } })
  t.match(listed?.output, /http:\/\/127\.0\.0\.1:\d+\/[A-Za-z0-9]{30}-T/)
  t.match(listed?.output, /ada@example\.com/)
})

t.test('the configuration of the guide for operators is served', async (t) => {
  const [file = ''] = operation.code('Serve it', 'yaml')
  const folder = await reader.newFolder(t)
  await writeFile(join(folder, 'concordat.yaml'), file)
  const set = { NODE_TOKEN: 'token', PROVIDER_KEY: 'key', CONCORDAT_DATA: join(folder, 'data') }
  const ports = { CONCORDAT_HOST: '127.0.0.1', CONCORDAT_PORT: '0', CONCORDAT_METRICS_PORT: '0' }
  const [serve] = operation.commands('Serve it')
  const started = serve?.start({ cwd: folder, env: { ...set, ...ports } })
  await started?.said(/"urls":/)
  await started?.stop()
})

/** A reader's contract. */
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

t.test('the server example serves a contract', async (t) => {
  const [code = ''] = markdownBlocks(backend, 'Serve a contract', 'ts')
  const folder = await reader.newFolder(t)
  await writeFile(join(folder, 'your-openrpc.json'), JSON.stringify(document))
  const out = join(folder, 'generated')
  await runConcordat(['generate', join(folder, 'your-openrpc.json'), '--out', out])
  const [answer] = await runPrograms(
    folder,
    {},
    `${code.replace('8080', '0')}
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'add', params: [40, 2] })
    const answer = await fetch(server.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    console.log(await answer.text())
    await server.close()`,
  )
  t.equal(answer, '{"jsonrpc":"2.0","id":1,"result":42}')
})
