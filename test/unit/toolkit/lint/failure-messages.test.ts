import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { lintContract } from '../../../../src/toolkit/lint/index.js'
import { inFolder, write } from '../codegen/fixtures.js'

interface Failure {
  readonly message: string
  readonly example?: string
  readonly messageSchema?: { readonly allOf: readonly { readonly title: string; readonly pattern: string }[] }
}

const own = JSON.parse(await readFile('openrpc.json', 'utf8'))
const failures: readonly (readonly [string, Failure])[] = Object.entries(own.info['x-failures'])
const stated = failures.filter(([, { messageSchema }]) => messageSchema !== undefined)

/** The findings in this service's contract, with other members of the failures whose messages programs look for. */
async function problems(changes: Partial<Failure>): Promise<readonly string[]> {
  const changed = stated.map(([name, failure]) => [name, { ...failure, ...changes }])
  const document = {
    ...own,
    info: { ...own.info, 'x-failures': { ...own.info['x-failures'], ...Object.fromEntries(changed) } },
  }
  return inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(document) })
    const found = await lintContract(join(dir, 'openrpc.json'))
    return found.map(({ severity, pointer, message }) => `${severity} ${pointer} ${message}`)
  })
}

const place = (name: string) => `error #/info/x-failures/${name}/example`

t.test('a changed message is reported for each program that would not recognise it', async (t) => {
  t.same(
    stated.map(([name]) => name),
    ['methodNotFound', 'logsOverLimit', 'logsRangeTooSlow'],
  )
  t.same(
    await problems({ message: 'Other words', example: 'Other words' }),
    stated.flatMap(([name, { messageSchema }]) =>
      (messageSchema?.allOf ?? []).map(
        ({ title, pattern }) => `${place(name)} does not match the pattern of ${title}: ${pattern}`,
      ),
    ),
  )
  t.same(
    await problems({ message: 'Other words' }),
    stated.map(([name]) => `${place(name)} does not have the form of "message"`),
  )
})
