import type { AccountQuery, AccountSummary } from '../../account.js'
import { page, redirect } from '../answer.js'
import { DashboardError, notFound } from '../dashboard-error.js'
import type { DashboardServices } from '../dashboard-services.js'
import { ownKey } from '../own-key.js'
import { AccountAdministrationPage, ConfirmPage } from '../pages/account-administration.js'
import { AccountsPage, accountOrders } from '../pages/accounts.js'
import type { OwnVisit, Routes } from '../routes.js'

const accountsPerPage = 50
/** Further back nobody turns pages: they search. */
const lastPage = 10_000
const usageDays = 30
const conflict = 409
const changes = ['disable', 'enable'] as const
const notices: Readonly<Record<string, string>> = {
  'account-disable': 'The account is disabled: its keys are refused, and its sessions have ended.',
  'account-enable': 'The account is enabled: its keys work again.',
  'key-disable': 'The key is disabled, and its user cannot enable it.',
  'key-enable': 'The key is no longer disabled by an operator.',
}
const withTables = { styles: ['metrics.css'] } as const

/** Adds what those who run the service see and do; each change is asked for once more, on a page of its own. */
export function addAdministrationRoutes({ operators }: Routes, services: DashboardServices): void {
  const { administration } = services
  operators.get('/admin', async ({ query }) => {
    const asked = queryOf(query)
    const list = await administration.accounts(asked)
    const limit = services.limits.requestsPerUserPerDay
    return page('Accounts', <AccountsPage query={asked} list={list} limit={limit} />, withTables)
  })
  operators.get('/admin/users/:id', async (visit) => {
    const account = await accountOf(services, visit)
    const [keys, usage, sessions] = await Promise.all([
      services.keys.list({ userId: account.id }),
      services.accountUsage(account.id, usageDays),
      services.accounts.sessions(account.id),
    ])
    const body = (
      <AccountAdministrationPage
        account={account}
        isOperator={services.accounts.isOperator(account)}
        keys={keys}
        usage={usage}
        sessions={sessions.length}
        networks={services.networks}
        limit={services.limits.requestsPerUserPerDay}
        notice={notices[visit.query('done')]}
      />
    )
    return page(account.email, body, withTables)
  })
  for (const change of changes) {
    addAccountChange(operators, services, change)
    addKeyChange(operators, services, change)
  }
}

type Change = (typeof changes)[number]

function addAccountChange(operators: Routes['operators'], services: DashboardServices, change: Change): void {
  const path = `/admin/users/:id/${change}`
  const isDisabled = change === 'disable'
  /** Two operators could else lock each other out, and a stolen session all of them. */
  const accountToChange = async (visit: OwnVisit) => {
    const account = await accountOf(services, visit)
    if (isDisabled && services.accounts.isOperator(account))
      throw new DashboardError(conflict, 'An operator’s account is not disabled here.')
    return account
  }
  operators.get(path, async (visit) => {
    const { id, email } = await accountToChange(visit)
    const title = isDisabled ? 'Disable this account?' : 'Enable this account?'
    return page(
      title,
      <ConfirmPage
        title={title}
        text={
          isDisabled
            ? `All keys of ${email} are refused within a second, its sessions end, and nobody can log in to it.`
            : `The keys of ${email} work again, but those that are disabled by themselves, and its user can log in.`
        }
        action={`/admin/users/${id}/${change}`}
        button={isDisabled ? 'Disable the account' : 'Enable the account'}
        isDanger={isDisabled}
        back={`/admin/users/${id}`}
      />,
    )
  })
  operators.post(path, async (visit) => {
    const { id } = await accountToChange(visit)
    if (!(await services.administration.setAccountDisabled(visit.user, id, isDisabled))) throw notFound()
    return redirect(`/admin/users/${id}?done=account-${change}`)
  })
}

function addKeyChange(operators: Routes['operators'], services: DashboardServices, change: Change): void {
  const path = `/admin/users/:account/keys/:id/${change}`
  const isDisabled = change === 'disable'
  const keyOf = ({ params }: OwnVisit) =>
    ownKey(services.keys, { params, user: { userId: params['account'] ?? '' } })
  operators.get(path, async (visit) => {
    const { id, name, userId, email } = await keyOf(visit)
    const title = isDisabled ? 'Disable this key?' : 'Enable this key?'
    return page(
      title,
      <ConfirmPage
        title={title}
        text={
          isDisabled
            ? `The key “${name}” of ${email} is refused within a second, and its user cannot enable it.`
            : `The key “${name}” of ${email} works again, where its user has not disabled it as well.`
        }
        action={`/admin/users/${userId}/keys/${id}/${change}`}
        button={isDisabled ? 'Disable the key' : 'Enable the key'}
        isDanger={isDisabled}
        back={`/admin/users/${userId}`}
      />,
    )
  })
  operators.post(path, async (visit) => {
    const { id, userId } = await keyOf(visit)
    if ((await services.administration.setKeyDisabled(visit.user, id, isDisabled)) === undefined)
      throw notFound()
    return redirect(`/admin/users/${userId}?done=key-${change}`)
  })
}

async function accountOf(
  { administration }: DashboardServices,
  { params }: OwnVisit,
): Promise<AccountSummary> {
  const account = await administration.account(params['id'] ?? '')
  if (account === undefined) throw notFound()
  return account
}

function queryOf(query: OwnVisit['query']): AccountQuery {
  const number = /^\d{1,5}$/.test(query('page')) ? Number(query('page')) : 1
  return {
    // The database takes no text with it.
    search: query('q').trim().replaceAll('\0', ''),
    order: accountOrders.find((order) => order === query('order')) ?? 'newest',
    skip: (Math.min(Math.max(number, 1), lastPage) - 1) * accountsPerPage,
    most: accountsPerPage,
  }
}
