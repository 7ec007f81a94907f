import type { Failure } from '../../administration/index.js'
import type { KeySummary } from '../../keys/index.js'
import { page } from '../answer.js'
import { curlOf } from '../assets/console-call.js'
import { notFound } from '../dashboard-error.js'
import type { DashboardServices } from '../dashboard-services.js'
import { keyUrls } from '../one-key/key-urls.js'
import { networkTitle } from '../one-key/network-title.js'
import { ownKey } from '../one-key/own-key.js'
import { addDownload } from '../own-download.js'
import type { Routes } from '../routes.js'
import { filterQuery, readFilter } from './failure-links.js'
import { type CallAgain, KeyFailurePage } from './key-failure-page.js'
import { KeyFailuresPage } from './key-failures-page.js'

const entriesPerPage = 25

/** Adds the tab with a key's log of failures, the page of each entry, and the download. */
export function addFailuresRoutes(routes: Routes, services: DashboardServices): void {
  const { keys, networks, keyMetrics, failures, limits, methods, referencePath } = services

  const findEntry = async (key: KeySummary, id: string) =>
    /^fail_\w+$/.test(id) ? failures.find(key.id, id) : undefined

  routes.own.get('/keys/:id/failures', async (visit) => {
    const key = await ownKey(keys, visit)
    const filter = readFilter(visit.query)
    const after = await findEntry(key, visit.query('after'))
    const [metrics, causes, read] = await Promise.all([
      keyMetrics(key.id, 'day'),
      failures.causes(key.id, filter),
      failures.list(key.id, filter, entriesPerPage + 1, after),
    ])
    const entries = read.slice(0, entriesPerPage)
    const last = entries.at(-1)
    return page(
      `${key.name}: failures`,
      <KeyFailuresPage
        {...{ filter, entries, causes, metrics, limits, referencePath }}
        shown={key}
        network={networkTitle(networks, key.network)}
        older={
          read.length > entries.length && last !== undefined
            ? filterQuery(filter, { after: last.id })
            : undefined
        }
      />,
    )
  })

  addDownload(routes, services, '/keys/:id/failures.json', async (visit) => {
    const key = await ownKey(keys, visit)
    const most = limits.failuresPerKey + limits.refusalsPerKey
    const entries = await failures.list(key.id, readFilter(visit.query), most)
    return {
      name: 'failures.json',
      type: 'application/json; charset=utf-8',
      text: `${JSON.stringify(entries.map(exported), null, 2)}\n`,
    }
  })

  /** How to send a call again: only a read whose parameters are known as a whole. */
  const againOf = async (key: KeySummary, { method, params }: Failure): Promise<CallAgain | undefined> => {
    const network = networks.get(key.network)
    const known = methods.find(({ name }) => name === method)
    if (network === undefined || known === undefined || known.writes || params?.isPart) return undefined
    const text = params?.text ?? '[]'
    const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${text}}`
    const { url, maskedUrl } = await keyUrls(keys, key, network)
    const hasToken = key.access.jwt !== undefined
    return {
      console: `/keys/${key.id}?${new URLSearchParams({ method, params: text })}#console`,
      curl: curlOf(url, body, hasToken),
      maskedCurl: curlOf(maskedUrl, body, hasToken),
    }
  }

  routes.own.get('/keys/:id/failures/:failure', async (visit) => {
    const key = await ownKey(keys, visit)
    const failure = await findEntry(key, visit.params['failure'] ?? '')
    if (failure === undefined) throw notFound()
    return page(
      `${key.name}: ${failure.isRefused ? 'refused request' : 'failed call'}`,
      <KeyFailurePage
        shown={key}
        network={networkTitle(networks, key.network)}
        failure={failure}
        again={failure.isRefused ? undefined : await againOf(key, failure)}
        isRevealed={visit.query('show') === 'url'}
      />,
    )
  })
}

/** An entry in the download. */
const exported = ({
  id,
  at,
  isRefused,
  method,
  code,
  message,
  failure,
  requestId,
  milliseconds,
  params,
}: Failure) => ({
  id,
  time: at.toISOString(),
  kind: isRefused ? 'refused' : 'failed',
  ...(isRefused ? { rule: method } : { method }),
  code,
  message,
  ...(failure !== undefined && { failure }),
  requestId,
  ...(!isRefused && { milliseconds }),
  ...(params !== undefined && { params: params.text, paramsArePart: params.isPart }),
})
