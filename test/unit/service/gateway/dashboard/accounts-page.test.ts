import { h } from 'preact'
import { render } from 'preact-render-to-string'
import t from 'tap'
import { AccountsPage } from '../../../../../src/service/gateway/dashboard/administration/accounts-page.js'

const most = 50
const shown = (skip: number, found: number) =>
  render(
    h(AccountsPage, {
      query: { search: '', order: 'newest', skip, most },
      list: { accounts: [], found },
      limit: 25_000,
    }),
  )

t.test('a page number beyond the last page shows a link to the last page', async (t) => {
  const html = shown(200, 51)
  t.match(html, 'No accounts on this page')
  t.match(html, /rel="prev" href="[^"]*page=2"/)
  t.notMatch(html, 'rel="next"')
  t.match(shown(100, 0), /rel="prev" href="[^"]*page=1"/)
  t.notMatch(shown(0, 0), 'on this page')
})
