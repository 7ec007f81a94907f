import { createAddressMatch, type KeySummary } from '../../keys/index.js'
import { page, redirect } from '../answer.js'
import { curlOf, shownBytes, tokenProblem, toRequest } from '../assets/console-call.js'
import { DashboardError } from '../dashboard-error.js'
import type { DashboardNetwork, DashboardServices } from '../dashboard-services.js'
import { KeyNotServedPage } from '../keys/key-not-served-page.js'
import { keyUrls } from '../one-key/key-urls.js'
import { networkTitle } from '../one-key/network-title.js'
import { ownKey } from '../one-key/own-key.js'
import type { FormProblems } from '../parts/form.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import type { AnsweredCall } from './call-answer.js'
import { type ConsoleChoice, fieldName, type RefusingList } from './console.js'
import { textsOf } from './console-methods.js'
import { KeySetupPage } from './key-setup-page.js'
import { exampleMethod } from './setup-examples.js'

const notices: Readonly<Record<string, string>> = {
  'signed-up':
    'You are logged in, and your first key works. Copy the call below into a terminal, or send it from here.',
  created: 'Key created. Its URL works immediately.',
  rotated: 'Key rotated. The new URL works immediately.',
}
const refused = 400
const unavailable = 503

interface Outcome {
  readonly choice: ConsoleChoice
  readonly problems?: FormProblems
  readonly call?: AnsweredCall
}

/** Adds the first tab of a key: URL, examples and console. Without scripts, the console sends its calls here. */
export function addSetupRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, methods, sendCall, referencePath, product, ownOrigins, publicOrigin } = services

  const setupPage = async (
    key: KeySummary,
    network: DashboardNetwork,
    { query, request }: OwnVisit,
    { problems, ...outcome }: Outcome,
    notice?: string,
  ) =>
    page(
      key.name,
      <KeySetupPage
        {...{ methods, referencePath, notice, problems, ...outcome }}
        refusingLists={refusingLists(key, request)}
        service={product.name}
        {...(await keyUrls(keys, key, network))}
        shown={key}
        network={network}
        isRevealed={query('show') === 'url'}
      />,
      {
        status: problems === undefined ? 200 : refused,
        scripts: ['console.js'],
      },
    )

  const refusingLists = ({ access }: KeySummary, { ip, host }: OwnVisit['request']) => {
    const own = ownOrigins()
    const origin = publicOrigin ?? own.find((each) => new URL(each).host === host) ?? own[0] ?? ''
    const lists: RefusingList[] = []
    if (access.origins?.includes(origin) === false) lists.push({ list: 'origins', missing: origin })
    if (access.addresses !== undefined && !createAddressMatch(access.addresses)(ip))
      lists.push({ list: 'addresses', missing: ip })
    return lists
  }

  /** Selects the method, and an example for the key's network if there is one. */
  const choose = async (
    key: KeySummary,
    { localizeExample }: DashboardNetwork,
    name: string,
    exampleName: string,
    sentParams = '',
  ): Promise<ConsoleChoice> => {
    const byName = (wanted: string) => methods.find((each) => each.name === wanted)
    const method = byName(name) ?? byName(exampleMethod) ?? methods[0]
    if (method === undefined) throw new TypeError('The contract has no methods')
    const examples = method.examples.filter(({ network }) => network === undefined || network === key.network)
    const sent = textsOf(method, sentParams)
    if (sent !== undefined) return { method: { ...method, examples }, example: undefined, texts: sent }
    const example = examples.find((each) => each.name === exampleName) ?? examples[0]
    const texts = await Promise.all((example?.texts ?? []).map(localizeExample))
    return { method: { ...method, examples }, example, texts }
  }

  own.get('/keys/:id', async (visit) => {
    const key = await ownKey(keys, visit)
    const network = networks.get(key.network)
    if (network === undefined) {
      const shownNetwork = networkTitle(networks, key.network)
      return page(key.name, <KeyNotServedPage shown={key} network={shownNetwork} tab="" />)
    }
    const { query } = visit
    const choice = await choose(key, network, query('method'), query('example'), query('params'))
    return setupPage(key, network, visit, { choice }, notices[visit.done])
  })

  // Documentation of a method links here, because it does not know the reader's keys.
  own.get('/try', async ({ user, query }) => {
    const served = (await keys.list({ userId: user.userId })).filter(({ network }) => networks.has(network))
    const key = served.find(({ state }) => state === 'enabled') ?? served[0]
    if (key === undefined) return redirect('/keys')
    return redirect(`/keys/${key.id}?method=${encodeURIComponent(query('method'))}#console`)
  })

  own.get('/keys/:id/call', async (visit) => redirect(`/keys/${(await ownKey(keys, visit)).id}#console`))

  own.post('/keys/:id/call', async (visit) => {
    const key = await ownKey(keys, visit)
    const network = networks.get(key.network)
    if (network === undefined)
      throw new DashboardError(
        refused,
        'This service does not serve the network of this key. The call was not sent.',
      )
    const { form, from, request } = visit
    const name = form('method')
    if (!methods.some((each) => each.name === name))
      throw new DashboardError(refused, 'Unknown method. The call was not sent.')
    const { method } = await choose(key, network, name, '')
    const fields = method.params.map((param) => ({ ...param, text: form(fieldName(param)) }))
    const choice: ConsoleChoice = { method, example: undefined, texts: fields.map(({ text }) => text) }
    const { body, problem } = toRequest(name, fields)
    if (problem !== undefined)
      return setupPage(key, network, visit, { choice, problems: { [fieldName(problem)]: problem.text } })
    const token = form('token').trim()
    const wrongToken = tokenProblem(token)
    if (wrongToken !== undefined)
      return setupPage(key, network, visit, { choice, problems: { token: wrongToken } })
    const { url, maskedUrl } = await keyUrls(keys, key, network)
    const answer = await sendCall({
      ...{ url, body, address: from.address, origin: request.headers.origin, mostBytes: shownBytes },
      token,
    }).catch((error: unknown) => {
      services.onError(error, 'a call of the console could not be sent')
      throw new DashboardError(unavailable, 'The call could not be sent. Try again.')
    })
    const hasToken = key.access.jwt !== undefined
    const call = {
      answer,
      curl: curlOf(url, body, hasToken),
      maskedCurl: curlOf(maskedUrl, body, hasToken),
    }
    return setupPage(key, network, visit, { choice, call })
  })
}
