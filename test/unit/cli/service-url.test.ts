import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { main } from '../../../src/cli/main.js'
import { loadMethods } from '../../../src/cli/mock/mock-methods.js'
import { createMock } from '../../../src/toolkit/mock/index.js'
import { contractOf, documentOf, inFolder, methodOf, write } from '../toolkit/codegen/fixtures.js'

const parts = { methods: [{ ...methodOf([], { type: 'integer' }), name: 'count' }] }

async function run(...args: readonly string[]) {
  const lines: string[] = []
  const line = (text: string) => void lines.push(text)
  return { code: await main(args, { out: line, err: line, env: {} }), text: lines.join('\n') }
}

t.test('each command reads the document of a running service, and prints no key', async (t) => {
  const contract = contractOf(parts)
  const mock = createMock({ contract, methods: await loadMethods(contract), seed: 's', onError: () => {} })
  const server = await mock.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => server.close())
  const url = new URL(server.url)
  url.search = 'key=s3cret'
  const service = url.href
  await inFolder(async (dir) => {
    const file = join(dir, 'openrpc.json')
    await write(dir, { path: 'concordat.config.yaml', content: '{}' })
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(documentOf(parts)) })
    const rows: readonly (readonly [args: readonly string[], code: number, text: RegExp])[] = [
      [
        ['lint', service, '--config', join(dir, 'concordat.config.yaml')],
        0,
        /127\.0\.0\.1:\d+\/•••••:\d+:\d+ {2}warning {2}method-without-example/,
      ],
      [['diff', file, service], 0, /no changes/],
      [['diff', service, file], 0, /no changes/],
      [['generate', service, '--out', join(dir, 'out')], 0, /out: \d+ written/],
      [['generate', service, '--out', join(dir, 'out'), '--check'], 0, /is current/],
      [['init', service, join(dir, 'project')], 0, /project: \d+ files/],
      [['conform', '--list', '--contract', service], 0, /derived\/count/],
      [['conform', service, '--contract', service, '--allow', 'write'], 0, /passed/],
      [['compare', service, service, '--contract', service], 0, /2 alike, 1 not run/],
      [['verify', file, '--contract', service], 2, /report/],
      [['mock', service, '--port', '99999'], 2, /--port/],
      [['selftest', service, '--contract', service, '--faults', '/none.mjs'], 2, /none\.mjs/],
    ]
    for (const [args, code, text] of rows) {
      const answer = await run(...args)
      t.equal(answer.code, code, `${args[0]}: ${answer.text.slice(0, 400)}`)
      t.match(answer.text, text)
      t.notMatch(answer.text, 's3cret')
    }
    t.match(await readFile(join(dir, 'project/contract/openrpc.json'), 'utf8'), '"count"')
    const gone = await run('lint', 'http://127.0.0.1:1/s3cret')
    t.match(gone, {
      code: 2,
      text: /^concordat lint: http:\/\/127\.0\.0\.1:1\/•••••: rpc\.discover failed: /,
    })
  })
})
