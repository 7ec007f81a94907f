/** What an editor shows of the generated client, from the language server of TypeScript. */

import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openEditor } from '../../../support/language-server.js'
import { ownContract } from './fixtures.js'

const folder = fileURLToPath(new URL('../../../types/', import.meta.url))
const editor = await openEditor(t, folder, `${folder}hovers.ts`)

t.test('the hover of every method states its parameters, result, errors and an example', async (t) => {
  const { methods } = await ownContract()
  const common = (await editor.hover('name: CommonErrorName')).replaceAll(/(?:\\n)+/g, ' ')
  for (const { name, params, errors } of methods) {
    for (const owner of ['client', 'call']) {
      const shown = (await editor.hover(`${owner}.${name}`)).replaceAll(/(?:\\n)+/g, ' ')
      t.match(shown, '@returns', `${owner}.${name}`)
      t.match(shown, '@throws', `${owner}.${name}`)
      t.match(shown, `await client.${name}(`, `${owner}.${name} has an example`)
      for (const param of params) {
        t.match(shown, new RegExp(`@param.{0,6}${param.name}`), `${owner}.${name} ${param.name}`)
        if (param.default !== undefined) t.match(shown, 'Default:', `${owner}.${name} ${param.name}`)
      }
      for (const { key, code } of errors) {
        const isCommon = shown.includes('`CommonErrorName`') && common.includes(`\`${key}\` (${code})`)
        t.ok(isCommon || shown.includes(`\`${key}\` (${code})`), `${owner}.${name} ${key}`)
      }
    }
  }
})

t.test('editors complete the tags of a block beside hexadecimal numbers', async (t) => {
  const labels = (await editor.completions("eth_getBalance('0x1', '")).map((label) =>
    label.replaceAll(/['"]/g, ''),
  )
  t.same([...labels].sort(), ['earliest', 'latest', 'pending'])
})
