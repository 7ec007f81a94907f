import type { SecurityEvent, SecurityEventKind } from '../../administration/index.js'
import type { DashboardLimits } from '../dashboard-services.js'
import { StackedTable } from '../parts/stacked-table.js'
import { Time } from '../parts/time.js'
import { browserOf } from './browser-of.js'

const texts: Readonly<Record<SecurityEventKind, string>> = {
  'account-disabled': 'Account disabled',
  'account-enabled': 'Account enabled',
  'address-changed': 'E-mail address changed',
  'key-changed': 'Key changed',
  'key-created': 'Key created',
  'key-deleted': 'Key deleted',
  'key-disabled': 'Key disabled',
  'key-enabled': 'Key enabled',
  'key-rotated': 'Key rotated',
  'limits-changed': 'Limits changed',
  'log-in': 'Log-in',
  'log-in-failed': 'Failed log-in',
  'password-changed': 'Password changed',
  'password-reset': 'Password set by a reset link',
  'proof-failed': 'Wrong password or code',
  'recovery-codes-renewed': 'New recovery codes',
  'second-factor-off': 'Second factor turned off',
  'second-factor-on': 'Second factor turned on',
  'second-factor-reset': 'Second factor reset',
  'sessions-ended': 'Sessions ended',
  'sign-up': 'Sign-up',
}

interface SecurityEventsProps {
  /** The latest first. */
  readonly events: readonly SecurityEvent[]
  readonly limits: DashboardLimits
}

/** The latest security events, on the page of the account. */
export function SecurityEvents({ events, limits }: SecurityEventsProps) {
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">Security events</h2>
      <EventTable events={events} limits={limits} />
      <p>
        <a href="/account/security">All security events</a>
      </p>
    </section>
  )
}

/** All security events that are kept. */
export function SecurityEventsPage({ events, limits }: SecurityEventsProps) {
  const { securityEventsPerAccount, failedLogInEventsPerAccount, securityEventDays } = limits
  return (
    <>
      <p class="crumbs">
        <a href="/account">Account</a>
      </p>
      <h1>Security events</h1>
      <p class="muted">
        Up to {securityEventsPerAccount} events, the last ones of each kind, and the last{' '}
        {failedLogInEventsPerAccount} failed log-ins and {failedLogInEventsPerAccount} wrong passwords and
        codes, of {securityEventDays} days. If you do not recognize one, change your password and rotate your
        keys.
      </p>
      <EventTable events={events} limits={limits} />
    </>
  )
}

function EventTable({ events, limits }: SecurityEventsProps) {
  if (events.length === 0) return <p class="muted">No events in the last {limits.securityEventDays} days.</p>
  return (
    <StackedTable
      caption="Security events, the latest first"
      columns={['Time', 'Event', 'From']}
      words={3}
      rows={events.map((event) => [
        <Time at={event.at} key="at" />,
        event.detail === '' ? texts[event.kind] : `${texts[event.kind]}: ${event.detail}`,
        originOf(event),
      ])}
    />
  )
}

/** Who caused an event, and from where. */
function originOf({ actor, address, userAgent }: SecurityEvent): string {
  if (actor === 'operator') return 'an operator'
  if (actor === 'command-line') return 'the operator’s command line'
  return address === null ? 'the dashboard' : `${address}, ${browserOf(userAgent)}`
}
