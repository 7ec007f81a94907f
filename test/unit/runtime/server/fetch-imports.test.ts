import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

t.test('a fetch handler imports only modules of Node.js that Deno, Bun and Workers have', async (t) => {
  const contents = `export { createService } from '@concordat/server'
export { createFetchHandler } from '@concordat/server/fetch'`
  const { metafile } = await build({
    ...{ bundle: true, metafile: true, write: false, platform: 'node', format: 'esm', logLevel: 'silent' },
    stdin: { contents, resolveDir: root },
    tsconfig: `${root}tsconfig.json`,
    treeShaking: true,
  })
  const [output] = Object.values(metafile.outputs)
  const imported = (output?.imports ?? []).map(({ path }) => path.replace(/^node:/, ''))
  t.same([...new Set(imported)].sort(), ['buffer', 'crypto', 'events', 'zlib'])
})
