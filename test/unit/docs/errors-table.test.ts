import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { errorTable, failures } from '../../../generated/errors.js'

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

interface AuthoredError {
  readonly code: number
  readonly message: string
}

const authored: Readonly<Record<string, AuthoredError>> = JSON.parse(read('openrpc.json')).components.errors

/** The rows of the guide's table of errors. */
const rows = [...read('docs/integrator.md').matchAll(/^\| (-?\d+) \| `(\w+)` \| (.*) \|$/gm)].map(
  ([, code, name, when]) => ({ code: Number(code), name, when }),
)

t.test('the generated table has the errors of the contract, and no others', async (t) => {
  t.same(
    Object.entries(errorTable).map(([name, { code, message }]) => ({ name, code, message })),
    Object.entries(authored).map(([name, { code, message }]) => ({ name, code, message })),
  )
})

t.test(
  'the table of the guide for integrators has the errors of the contract, and no others, in its order',
  async (t) => {
    t.same(
      rows.map(({ name, code }) => ({ name, code })),
      Object.entries(authored).map(([name, { code }]) => ({ name, code })),
    )
    for (const { name, when } of rows) t.ok(when, `${name} says when`)
  },
)

t.test(
  'every error of the contract answers a situation of the contract, and no situation has another',
  async (t) => {
    const answered = new Set(Object.values(failures).map(({ error }) => error))
    t.same([...answered].sort(), Object.keys(authored).sort())
  },
)

t.test('no code of the contract stands for two errors', async (t) => {
  const codes = Object.values(authored).map(({ code }) => code)
  t.equal(new Set(codes).size, codes.length)
})
