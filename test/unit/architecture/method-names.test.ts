import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const { methods } = JSON.parse(readFileSync(join(root, 'openrpc.json'), 'utf8')) as {
  readonly methods: readonly { readonly name: string }[]
}
const names = new RegExp(`\\b(?:${methods.map(({ name }) => name).join('|')})\\b`, 'g')

/** Folders that know a blockchain, and the examples of the dashboard. */
const knowing =
  /^(methods|ethereum|dev-chain)\/|^dashboard\/(setup\/setup-examples|networks\/wallet-parameters)\.ts$/

t.test('the gateway names methods of the contract only where it has code for them', (t) => {
  const folder = join(root, 'src/service/gateway')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(ts|tsx|js)$/.test(file) && !file.startsWith('dist/'),
  )
  t.ok(files.length > 100, 'the source was found')
  t.ok(
    files.some((file) => knowing.test(file)),
    'so were the allowed folders',
  )
  for (const file of files.filter((file) => !knowing.test(file))) {
    const code = readFileSync(join(folder, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    t.same(code.match(names) ?? [], [], file)
  }
  t.end()
})
