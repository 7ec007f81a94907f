import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { main } from '../../../src/cli/main.js'
import { inFolder, write } from '../toolkit/codegen/fixtures.js'

const guide = await readFile(new URL('../../../docs/backend.md', import.meta.url), 'utf8')
const chapter = guide.split('| `concordat conform --contract DOC URL`')[1]?.split('\n## ')[0] ?? ''
const [lintOutput, config, diffOutput] = [...chapter.matchAll(/^```(\w*)\n(.*?)^```/gms)]
  .filter(([, language = '']) => ['text', 'yaml'].includes(language))
  .map(([, , block = '']) => block.trimEnd())

const old = `{
  "openrpc": "1.3.2",
  "info": { "title": "Sums", "version": "1.0.0" },
  "methods": [
    {
      "name": "add",
      "params": [
        { "name": "a", "required": true, "schema": { "type": "integer" } },
        { "name": "b", "schema": { "type": "integer" } }
      ],
      "result": { "name": "sum", "schema": { "type": "integer" } },
      "errors": [{ "code": 1, "message": "Too large" }],
      "examples": [
        {
          "name": "one and two",
          "params": [{ "name": "a", "value": 1 }, { "name": "b", "value": "2" }],
          "result": { "name": "sum", "value": 3 }
        }
      ]
    }
  ]
}`
const next = old
  .replace('"name": "b",', '"name": "b", "required": true,')
  .replace(
    '"name": "sum", "schema": { "type": "integer" }',
    '"name": "sum", "schema": { "type": ["integer", "null"] }',
  )
  .replace('1.0.0', '1.1.0')

async function run(...args: readonly string[]) {
  const out: string[] = []
  const code = await main(args, { out: (line) => out.push(line), err: (line) => out.push(line), env: {} })
  return { code, out: out.join('\n') }
}

t.test('lint and diff print what the guide shows, and accept its configuration', async (t) => {
  await inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: old })
    await write(dir, { path: 'next.json', content: next })
    const [document, other] = [join(dir, 'openrpc.json'), join(dir, 'next.json')]
    t.same(await run('lint', document), { code: 1, out: `${dir}/${lintOutput}` })
    t.same(await run('diff', document, other), { code: 1, out: diffOutput })
    await write(dir, { path: 'concordat.config.yaml', content: config ?? '' })
    t.match(await run('lint', document), {
      code: 1,
      out: /\nconcordat lint: the exception for unused-component /,
    })
  })
})
