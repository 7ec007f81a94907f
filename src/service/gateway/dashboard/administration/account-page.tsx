import type { AccountSummary } from '../../accounts/index.js'
import type { AccountUsage, KeyMetrics, MetricRange } from '../../administration/index.js'
import type { KeySummary } from '../../keys/index.js'
import type { DashboardLimits, DashboardServices } from '../dashboard-services.js'
import { ranges, rangeTitles } from '../metrics/key-metrics-page.js'
import { Errors, Methods, Summary } from '../metrics/metric-tables.js'
import { networkTitle } from '../one-key/network-title.js'
import { AsOf } from '../parts/as-of.js'
import { Choice } from '../parts/choice.js'
import { Fact } from '../parts/fact.js'
import { numberText, shareText } from '../parts/format.js'
import { Notice } from '../parts/notice.js'
import { StackedTable } from '../parts/stacked-table.js'
import { Badge, State } from '../parts/state.js'
import { Time } from '../parts/time.js'
import { accountFailuresPath } from './account-failures-page.js'
import { AccountState } from './accounts-page.js'

interface AccountAdministrationPageProps {
  readonly account: AccountSummary
  /** True for an operator, whose account cannot be disabled here. */
  readonly isOperator: boolean
  readonly keys: readonly KeySummary[]
  /** Usage of the last days; today is the last entry. */
  readonly usage: AccountUsage
  readonly range: MetricRange
  /** Metrics of all keys in the range. */
  readonly metrics: KeyMetrics
  readonly sessions: number
  readonly networks: DashboardServices['networks']
  /** Limits of the account. */
  readonly limits: DashboardLimits
  readonly notice?: string | undefined
}

/** One account, for operators. */
export function AccountAdministrationPage(props: AccountAdministrationPageProps) {
  const { account, isOperator, notice, usage, range, metrics } = props
  const base = `/admin/users/${account.id}`
  return (
    <>
      <p class="crumbs">
        <a href="/admin">Accounts</a>
      </p>
      <div class="heading">
        <h1>{account.email}</h1>
        <AsOf at={usage.at} />
      </div>
      {notice && <Notice>{notice}</Notice>}
      <p>
        <AccountState account={account} />
        {isOperator && <Badge>operator</Badge>}
      </p>
      <section aria-label="The account">
        <Facts {...props} />
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <KeyTable {...props} />
      </section>
      <div class="heading">
        <h2>Calls of all keys</h2>
        <Choice
          label="Period"
          options={ranges}
          chosen={range}
          hrefOf={(each) => `${base}?range=${each}`}
          titleOf={(each) => rangeTitles[each]}
        />
      </div>
      <Summary metrics={metrics} />
      <Methods metrics={metrics} />
      <Errors metrics={metrics} />
      <p class="actions">
        <a href={accountFailuresPath(account.id)}>Failed calls by cause</a>
      </p>
      <section class="card" aria-labelledby="change">
        <h2 id="change">{account.disabledAt === null ? 'Disable the account' : 'Enable the account'}</h2>
        {isOperator ? (
          <p>
            Accounts of operators cannot be disabled here. Remove the address from the configuration first.
          </p>
        ) : account.disabledAt === null ? (
          <>
            <p>
              The keys are refused, the sessions end, and log-in is not possible until you enable the account.
            </p>
            <a class="button danger" href={`${base}/disable`}>
              Disable the account
            </a>
          </>
        ) : (
          <>
            <p>The keys work again, and the user can log in.</p>
            <a class="button quiet" href={`${base}/enable`}>
              Enable the account
            </a>
          </>
        )}
      </section>
    </>
  )
}

/** Names the counts of days. */
function countsText(days: AccountUsage['days']): string {
  const counts = ['received', 'answered', 'unanswered', 'refused', 'failed'] as const
  const sum = (of: (typeof counts)[number] | 'nodeCalls') =>
    numberText(days.reduce((total, day) => total + day[of], 0))
  return `${counts.map((of) => `${sum(of)} ${of}`).join(', ')}, ${sum('nodeCalls')} node calls`
}

function Facts({ account, usage, sessions, limits }: AccountAdministrationPageProps) {
  const { requestsPerUserPerDay: limit, keysPerUser } = limits
  const isLowered = account.limits.dailyLimit !== null || account.limits.keyLimit !== null
  const { charged = 0 } = usage.days.at(-1) ?? {}
  const facts = [
    ['Account', <code key="id">{account.id}</code>],
    ['Signed up', <Time at={account.createdAt} key="created" />],
    ['Last log-in', <Time at={account.lastLogInAt} otherwise="unknown" key="last" />],
    ['Sessions', numberText(sessions)],
    [
      'Limits',
      <span key="limits">
        {numberText(limit)} requests per day, {keysPerUser} {keysPerUser === 1 ? 'key' : 'keys'}
        {isLowered && ` (lowered${account.limitsReason === null ? '' : `: ${account.limitsReason}`})`}{' '}
        <a href={`/admin/users/${account.id}/limits`}>Change the limits</a>
      </span>,
    ],
    [
      'Second factor',
      account.hasSecondFactor ? (
        <a href={`/admin/users/${account.id}/second-factor`} key="factor">
          on – reset
        </a>
      ) : (
        'off'
      ),
    ],
    ...(account.disabledAt === null
      ? []
      : [
          [
            'Disabled',
            <span key="disabled">
              <Time at={account.disabledAt} />
              {account.disabledReason !== null && `: ${account.disabledReason}`}
            </span>,
          ] as const,
        ]),
    [
      'Today',
      `${numberText(charged)} of ${numberText(limit)} requests charged (${shareText(charged, limit)}): ${countsText(usage.days.slice(-1))}`,
    ],
    [
      `${usage.days.length} days`,
      `${numberText(usage.days.reduce((total, day) => total + day.charged, 0))} requests charged: ${countsText(usage.days)}`,
    ],
  ] as const
  return (
    <dl class="card facts">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}

function KeyTable({ account, keys, usage, networks }: AccountAdministrationPageProps) {
  if (keys.length === 0) return <p class="muted">No keys.</p>
  const today = new Map(usage.keys.map((key) => [key.id, key]))
  return (
    <StackedTable
      name="keys"
      caption="Keys with today’s calls"
      columns={[
        'Name',
        'State',
        'Network',
        'Key',
        'Answered',
        'Failed',
        'Refused',
        'Node calls',
        'Last used',
      ]}
      words={4}
      rows={keys.map((key) => [
        key.name,
        <KeyState shown={key} account={account.id} key="state" />,
        <span class="whole" key="network">
          {networkTitle(networks, key.network)}
        </span>,
        <code key="text">{key.masked}</code>,
        numberText(today.get(key.id)?.answered ?? 0),
        <FailedCalls count={today.get(key.id)?.failed ?? 0} account={account.id} shown={key} key="failed" />,
        numberText(today.get(key.id)?.refused ?? 0),
        numberText(today.get(key.id)?.nodeCalls ?? 0),
        <Time at={key.lastUsedAt} otherwise="never" key="used" />,
      ])}
    />
  )
}

/** The number of failed calls of a key, which leads to their causes. */
function FailedCalls(props: {
  readonly count: number
  readonly account: string
  readonly shown: KeySummary
}) {
  const { count, account, shown } = props
  if (count === 0) return <>0</>
  return (
    <a
      href={`${accountFailuresPath(account)}#${shown.id}`}
      aria-label={`${count} failed calls of ${shown.name}`}
    >
      {numberText(count)}
    </a>
  )
}

/** The state of a key, with a link that changes it. */
function KeyState({ shown, account }: { readonly shown: KeySummary; readonly account: string }) {
  const { id, name, state, disabledByOperator } = shown
  const change = disabledByOperator ? 'Enable' : 'Disable'
  return (
    <span>
      <State
        isGood={state === 'enabled'}
        good="enabled"
        bad={disabledByOperator ? 'disabled by an operator' : 'disabled by its user'}
      />{' '}
      <a href={`/admin/users/${account}/keys/${id}/${change.toLowerCase()}`} aria-label={`${change} ${name}`}>
        {change}
      </a>
    </span>
  )
}
