import type { AccountList, AccountQuery, AccountSummary } from '../../accounts/index.js'
import { Choice } from '../parts/choice.js'
import { numberText } from '../parts/format.js'
import { StackedTable } from '../parts/stacked-table.js'
import { Badge } from '../parts/state.js'
import { Time } from '../parts/time.js'
import { historyDays } from '../usage/usage-page.js'

interface AccountsPageProps {
  readonly query: AccountQuery
  readonly list: AccountList
  /** Requests per account and day. */
  readonly limit: number
}

const orders: Readonly<Record<AccountQuery['order'], string>> = {
  newest: 'Newest first',
  'most-used': 'Most used today',
  'most-last-hour': 'Most in the last hour',
  'most-node-calls': 'Most node calls today',
}
/** Values of `order` in the query string. */
export const accountOrders = Object.keys(orders) as readonly AccountQuery['order'][]

/** The accounts of the service, for operators. */
export function AccountsPage({ query, list, limit }: AccountsPageProps) {
  const { search, order, skip, most } = query
  const { accounts, found } = list
  // Links may lead past the last page, because accounts may have been deleted.
  const lastPage = Math.floor((found - 1) / most) * most
  const pathOf = (change: Partial<AccountQuery>) => {
    const asked = { search, order, skip: 0, ...change }
    const page = asked.skip / most + 1
    const values = new URLSearchParams({ q: asked.search, order: asked.order, page: String(page) })
    return `/admin?${values}`
  }
  return (
    <>
      <h1>Accounts</h1>
      <search>
        <form method="get" action="/admin" class="search">
          <input type="hidden" name="order" value={order} />
          <label for="q">Part of the e-mail address, or the id of an account or key</label>
          <div>
            <input id="q" name="q" type="search" value={search} />
            <button type="submit">Search</button>
          </div>
        </form>
      </search>
      <div class="heading">
        <p class="muted">
          {accounts.length === 0
            ? `No accounts${found === 0 ? '' : ' on this page'}`
            : `${numberText(skip + 1)} to ${numberText(skip + accounts.length)} of ${numberText(found)} accounts, with ${numberText(limit)} requests per day unless lowered`}
          {search !== '' && (
            <>
              {' '}
              found for “{search}”. <a href={pathOf({ search: '' })}>Show all</a>
            </>
          )}
        </p>
        <Choice
          label="Order"
          options={accountOrders}
          chosen={order}
          hrefOf={(each) => pathOf({ order: each })}
          titleOf={(each) => orders[each]}
        />
      </div>
      {accounts.length > 0 && <AccountTable accounts={accounts} />}
      <p class="actions">
        <a href="/admin/nodes">Nodes</a>
        {historyDays.map((days) => (
          <a href={`/admin/usage.csv?days=${days}`} key={days}>
            All accounts, {days} days (CSV)
          </a>
        ))}
      </p>
      <nav class="actions" aria-label="More accounts">
        {skip > 0 && (
          <a rel="prev" href={pathOf({ skip: Math.max(0, Math.min(skip - most, lastPage)) })}>
            Previous
          </a>
        )}
        {skip + accounts.length < found && (
          <a rel="next" href={pathOf({ skip: skip + most })}>
            Next
          </a>
        )}
      </nav>
    </>
  )
}

function AccountTable({ accounts }: { readonly accounts: readonly AccountSummary[] }) {
  return (
    <StackedTable
      name="accounts"
      caption="Accounts"
      columns={[
        'Address',
        'State',
        'Signed up',
        'Last log-in',
        'Keys',
        'Last hour',
        'Charged today',
        'Node calls today',
      ]}
      words={4}
      rows={accounts.map((account) => [
        <a href={`/admin/users/${account.id}`} class="address" key="link">
          {account.email}
        </a>,
        <span key="state">
          <AccountState account={account} />
        </span>,
        <Time at={account.createdAt} key="created" />,
        <Time at={account.lastLogInAt} otherwise="unknown" key="last" />,
        numberText(account.keys),
        numberText(account.receivedLastHour),
        numberText(account.usedToday),
        numberText(account.nodeCallsToday),
      ])}
    />
  )
}

/** Badges for the state of an account and of its address. */
export function AccountState({ account }: { readonly account: AccountSummary }) {
  return (
    <>
      {account.disabledAt !== null && <Badge tone="bad">disabled</Badge>}
      <Badge tone={account.emailVerified ? 'good' : undefined}>
        {account.emailVerified ? 'confirmed' : 'not confirmed'}
      </Badge>
    </>
  )
}
