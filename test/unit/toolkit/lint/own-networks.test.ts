import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import { lintContract } from '../../../../src/toolkit/lint/index.js'
import { inFolder, write } from '../codegen/fixtures.js'
import { good, withInfo } from './lint-documents.js'

const own = JSON.parse(await readFile('openrpc.json', 'utf8'))
const { test, main } = own.info['x-networks']
const declaration = own['x-extensions'].find(({ name }: { name: string }) => name === 'x-networks')

/** The findings in networks, for a contract with the declarations of this service. */
async function problems(networks: JsonObject): Promise<readonly string[]> {
  const document = { ...withInfo({ 'x-networks': networks }, good()), 'x-extensions': [declaration] }
  return inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(document) })
    const found = await lintContract(join(dir, 'openrpc.json'))
    return found.map(({ severity, pointer, message }) => `${severity} ${pointer}: ${message}`)
  })
}

const dev = { title: 'Development network', chainId: '0x21', netVersion: '33', keySuffix: 'D' }
const place = '#/info/x-networks'

t.test('any number of networks is accepted, with names of up to 16 letters and digits', async (t) => {
  t.same(await problems({ test, main, dev }), [])
  t.same(await problems({ dev }), [])
  for (const name of ['d', 'dev2', 'abcdefghijklmnop']) t.same(await problems({ [name]: dev }), [], name)
})

t.test('other names are refused, and so is the name of the dashboard', async (t) => {
  for (const name of [
    '',
    'Dev',
    '2dev',
    'my-dev',
    'my_dev',
    'dev.x',
    'abcdefghijklmnopq',
    'dashboard',
    'dév',
  ])
    t.match(
      await problems({ test, [name]: dev }),
      [`error ${place}/${name}: the name "${name}" must match pattern`],
      name,
    )
  t.match(await problems({}), [`error ${place}: must NOT have fewer than 1 properties`])
})

t.test('a suffix is one upper-case letter, and numbers have one notation', async (t) => {
  const wrong = {
    keySuffix: ['', 'd', 'DD', '1', 'Ä', '-'],
    chainId: ['0x', '0x0', '0x021', '0xAB', '33', 'dev'],
    netVersion: ['', '0', '033', '0x21', 'dev'],
  }
  for (const [name, values] of Object.entries(wrong))
    for (const value of values)
      t.match(
        await problems({ test, dev: { ...dev, [name]: value } }),
        [`error ${place}/dev/${name}: must match pattern`],
        value,
      )
})

t.test('numbers and suffixes of two networks differ', async (t) => {
  for (const name of ['chainId', 'netVersion', 'keySuffix'])
    t.match(await problems({ test, main, dev: { ...dev, [name]: main[name] } }), [
      `error ${place}/dev/${name}: the network "main" has the same ${name} "${main[name]}"`,
    ])
})
