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

t.test('the generated table has exactly the errors of the contract', async (t) => {
  t.same(
    Object.entries(errorTable).map(([name, { code, message }]) => ({ name, code, message })),
    Object.entries(authored).map(([name, { code, message }]) => ({ name, code, message })),
  )
})

t.test(
  'the table of the integrator guide has exactly the errors of the contract, in its order',
  async (t) => {
    t.same(
      rows.map(({ name, code }) => ({ name, code })),
      Object.entries(authored).map(([name, { code }]) => ({ name, code })),
    )
    for (const { name, when } of rows) t.ok(when, `${name} says when`)
  },
)

t.test(
  'every error of the contract belongs to a failure of the contract, and every failure has such an error',
  async (t) => {
    const answered = new Set(Object.values(failures).map(({ error }) => error))
    t.same([...answered].sort(), Object.keys(authored).sort())
  },
)

t.test('error codes of the contract are unique', async (t) => {
  const codes = Object.values(authored).map(({ code }) => code)
  t.equal(new Set(codes).size, codes.length)
})
