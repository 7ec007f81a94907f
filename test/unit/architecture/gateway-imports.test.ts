import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const gateway = join(root, 'src/service/gateway')
const guide = readFileSync(join(root, 'docs/backend.md'), 'utf8')

const imported = /import (?:type )?{([^}]*)} from '(@concordat\/server[^']*)'/g

/** The names that the gateway imports from the server, with the entry points. */
const names = readdirSync(gateway, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('dist'))
  .flatMap((file) => [...readFileSync(join(gateway, file), 'utf8').matchAll(imported)])
  .flatMap(([, list = '', from = '']) =>
    list.split(',').flatMap((each) => {
      const name = each.replace(/^\s*(?:type )?/, '').trim()
      return name === '' ? [] : [{ name, from }]
    }),
  )

t.test('the gateway is built on the server as a backend team would build on it', async (t) => {
  const all = new Set(names.map(({ name }) => name))
  t.ok(all.has('createService') && all.has('createHttpServer'))
  for (const name of all) t.match(guide, new RegExp(`\\b${name}\\b`), `docs/backend.md explains ${name}`)
  t.same([...new Set(names.map(({ from }) => from))], ['@concordat/server'], 'the main entry point')
})
