import t from 'tap'
import { enter, openPage } from '../../support/dashboard.js'
import { openScreenReader, type Spoken } from '../../support/screen-reader.js'
import { post } from '../../support/service.js'
import { until } from '../../support/until.js'
import { browser, origin } from './chain-harness.js'

/** A journey by what Chromium gives to screen readers: roles, names, descriptions and states, and nothing else. */
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const invalid = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['nonsense', 'latest'] }

const namesOf = (spoken: readonly Spoken[], role: string) =>
  spoken.filter((each) => each.role === role).map(({ name }) => name)
const inside = (spoken: Spoken): readonly Spoken[] => [spoken, ...spoken.children.flatMap(inside)]

t.test('with a screen reader: from the list of keys to a cause, and to a refused setting', async (t) => {
  const { page, context } = await openPage(browser)
  const { url } = await enter(page, origin, { name: 'wallet' })
  for (let n = 0; n < 46; n += 1) await post(url, chainId)
  for (let n = 0; n < 3; n += 1) await post(url, invalid)
  await until(async () => (await (await page.request.get(`${origin}/keys`)).text()).includes('6.1 %'))
  await page.goto(`${origin}/keys`)
  const reader = await openScreenReader(page)

  await t.test('the page is found by its landmarks, its heading and its table', async (t) => {
    const spoken = await reader.read()
    t.match(spoken.find(({ role }) => role === 'RootWebArea')?.name, /^Keys · /)
    t.equal(namesOf(spoken, 'link')[0], 'Skip to content')
    for (const role of ['banner', 'main', 'contentinfo']) t.equal(namesOf(spoken, role).length, 1, role)
    t.same(namesOf(spoken, 'navigation'), ['Pages'])
    t.same(
      spoken.filter(({ role, level }) => role === 'heading' && level === 1).map(({ name }) => name),
      ['Keys'],
    )
    const table = spoken.find(({ role }) => role === 'table')
    t.equal(table?.name, 'Keys, with the calls of the last 24 hours')
    t.same(namesOf(table === undefined ? [] : inside(table), 'columnheader'), [
      ...['Name', 'Network', 'Last 24 hours', 'Error rate', 'Charged today', 'Last used', 'Actions'],
    ])
    t.match(namesOf(spoken, 'rowheader')[0], /^wallet/)
    t.ok(
      namesOf(spoken, 'image').includes('Calls by hour in the last 24 hours: 49 calls, at most 49 in a step'),
    )
    t.same(
      spoken.filter(({ role }) => role === 'meter').map(({ name }) => name),
      ['Charged requests of wallet today'],
    )
    const unnamed = spoken.filter(
      ({ role, name }) =>
        ['button', 'link', 'textbox', 'combobox', 'image', 'table'].includes(role) && name === '',
    )
    t.same(unnamed, [], 'nothing to operate has no name')
  })

  await t.test('the cause of the failed calls', async (t) => {
    await reader.press('link', '6.1 %')
    await reader.find('heading', 'Failures of the last 24 hours')
    await reader.find('table', 'Failed calls and refused requests, the latest first')
    await reader.press('link', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    await reader.find('heading', 'Failed call')
    const spoken = await reader.read()
    t.same(namesOf(spoken, 'term').length, namesOf(spoken, 'definition').length, 'each fact has its name')
    const text = namesOf(spoken, 'StaticText').join(' ')
    t.match(text, 'Invalid params: /0 must be an address of 20 bytes')
    t.match(text, '"nonsense"')
  })

  await t.test('a refused setting is announced, and its field has the focus and the reason', async (t) => {
    await reader.press('link', 'Settings')
    await reader.write('Origins, one per line', 'example.com')
    await reader.press('button', 'Save changes')
    const field = await until(async () =>
      (await reader.read()).find(({ focused, invalid }) => focused && invalid),
    )
    t.equal(field.name, 'Origins, one per line')
    t.equal(field.value, 'example.com')
    t.match(field.description, 'Invalid origins: "example.com"')
    await reader.write('Origins, one per line', 'https://example.com')
    await reader.press('button', 'Save changes')
    const status = await until(async () =>
      (await reader.read()).find(
        (each) => each.role === 'status' && namesOf(inside(each), 'StaticText').join('').startsWith('Saved.'),
      ),
    )
    t.ok(status)
  })
  await context.close()
})
