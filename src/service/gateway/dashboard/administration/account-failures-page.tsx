import type { AccountSummary } from '../../accounts/index.js'
import type { FailureCause } from '../../administration/index.js'
import type { KeySummary } from '../../keys/index.js'
import { CausesWithoutCalls } from '../failures/causes.js'
import { numberText } from '../parts/format.js'

/** Path of the causes of an account's failed calls. */
export const accountFailuresPath = (accountId: string): string => `/admin/users/${accountId}/failures`

interface AccountFailuresPageProps {
  readonly account: AccountSummary
  readonly keys: readonly KeySummary[]
  /** Causes by id of a key. */
  readonly causes: ReadonlyMap<string, readonly FailureCause[]>
  /** Time that the log of failures keeps. */
  readonly hours: number
}

/** Why the calls of an account failed, by key, for operators. The calls themselves are shown to the user alone. */
export function AccountFailuresPage({ account, keys, causes, hours }: AccountFailuresPageProps) {
  const failing = keys.filter(({ id }) => causes.get(id)?.length)
  return (
    <>
      <p class="crumbs">
        <a href="/admin">Accounts</a> / <a href={`/admin/users/${account.id}`}>{account.email}</a>
      </p>
      <h1>Failed calls by cause</h1>
      <p class="muted">
        Of the last {numberText(hours)} hours, as the user sees them. Parameters, request ids and client
        addresses are shown to the user alone.
      </p>
      {failing.length === 0 && <p>No failed calls are logged.</p>}
      {failing.map(({ id, name, masked }) => (
        <section aria-labelledby={id} key={id}>
          <h2 id={id}>
            {name} <code>{masked}</code>
          </h2>
          <CausesWithoutCalls causes={causes.get(id) ?? []} />
        </section>
      ))}
    </>
  )
}
