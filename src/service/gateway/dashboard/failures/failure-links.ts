import type { FailureFilter } from '../../administration/index.js'

/** Value of the query string for calls without a method of the contract. */
const unknownMethod = 'unknown'

/** Reads a filter from a query string. Unreadable values are ignored. */
export function readFilter(query: (name: string) => string): FailureFilter {
  // The database takes no NUL characters.
  const method = query('method').replaceAll('\0', '')
  const code = query('code')
  const kind = query('kind')
  return {
    method: method === '' ? undefined : method === unknownMethod ? '' : method,
    code: /^-?\d{1,6}$/.test(code) ? Number(code) : undefined,
    isRefused: kind === 'refused' ? true : kind === 'failed' ? false : undefined,
    from: readDate(query('from')),
    to: readDate(query('to')),
  }
}

function readDate(text: string): Date | undefined {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && Number.isFinite(Date.parse(text))
    ? new Date(text)
    : undefined
}

/** Returns the query string of a filter, with its question mark; empty for a filter that selects all. */
export function filterQuery(
  { method, code, isRefused, from, to }: FailureFilter,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({
    ...(method !== undefined && { method: method === '' ? unknownMethod : method }),
    ...(code !== undefined && { code: String(code) }),
    ...(isRefused !== undefined && { kind: isRefused ? 'refused' : 'failed' }),
    ...(from !== undefined && { from: from.toISOString() }),
    ...(to !== undefined && { to: to.toISOString() }),
    ...more,
  }).toString()
  return query === '' ? '' : `?${query}`
}

/** Returns the path of a key's log of failures with a filter. */
export const failuresPath = (keyId: string, filter: FailureFilter = {}): string =>
  `/keys/${keyId}/failures${filterQuery(filter)}`
