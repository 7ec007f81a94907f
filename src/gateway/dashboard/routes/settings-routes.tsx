import { methods } from '../../../../generated/methods.js'
import type { KeySummary } from '../../key-summary.js'
import { OperatorError } from '../../store/operator-error.js'
import { type Answer, page, redirect } from '../answer.js'
import { changeKey } from '../change-key.js'
import type { AllowListName, DashboardServices } from '../dashboard-services.js'
import { problemOf } from '../key-problems.js'
import { ownKey } from '../own-key.js'
import { KeySettingsPage } from '../pages/key-settings.js'
import type { FormProblems } from '../parts/form.js'
import { type SettingsValues, settingsOf } from '../parts/settings-values.js'
import type { OwnVisit, Routes } from '../routes.js'

/** What was done, by the word that follows it, and the part of the page that it is said in. */
const notices: Readonly<Record<string, readonly [part: string, text: string]>> = {
  details: ['details', 'Saved.'],
  limits: ['limits', 'Saved: the limits are in force.'],
  addresses: ['addresses', 'Saved: the list is in force.'],
  origins: ['origins', 'Saved: the list is in force.'],
  contracts: ['contracts', 'Saved: the list is in force.'],
  methods: ['methods', 'Saved: the list is in force.'],
  registered: ['tokens', 'The public key is registered: each call needs a token now.'],
  removed: ['tokens', 'The public key is removed.'],
  disabled: ['state', 'The key is disabled: calls with it are refused.'],
  enabled: ['state', 'The key is enabled: its URL works.'],
}
const methodNames = Object.values(methods).map(({ name }) => name)
const lineLists = ['addresses', 'origins', 'contracts'] as const
const refused = 400

/** Adds the settings of a key: the page, and a form for each thing that can be set. */
export function addSettingsRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, limits } = services
  const show = (
    { query, request }: OwnVisit,
    key: KeySummary,
    again?: { readonly typed: Partial<SettingsValues>; readonly problems: FormProblems },
  ) => {
    const said = notices[query('done')]
    return page(
      `Settings of ${key.name}`,
      <KeySettingsPage
        shown={key}
        network={networks[key.network].title}
        limits={limits}
        values={{ ...settingsOf(key), ...again?.typed }}
        problems={again?.problems}
        notices={said === undefined ? {} : { [said[0]]: said[1] }}
        clientAddress={request.ip}
      />,
      { styles: ['settings.css'], ...(again === undefined ? {} : { status: refused }) },
    )
  }
  /** Adds a form: what is typed in it, and what that changes. */
  const form = <Typed extends Partial<SettingsValues>>(
    path: string,
    read: (form: OwnVisit['form']) => Typed,
    change: (id: string, typed: Typed) => Promise<unknown>,
    { done, part = done, field }: { done: string; part?: string; field?: string },
  ) =>
    own.post(`/keys/:id/settings/${path}`, async (visit): Promise<Answer> => {
      const key = await ownKey(keys, visit)
      const typed = read(visit.form)
      const problem = await changeKey(() => change(key.id, typed))
      if (problem !== undefined) return show(visit, key, { typed, problems: problemOf(problem, field) })
      return redirect(`/keys/${key.id}/settings?done=${done}#${part}`)
    })

  own.get('/keys/:id/settings', async (visit) => show(visit, await ownKey(keys, visit)))
  form(
    'details',
    (value) => ({
      name: value('name'),
      description: value('description').replace(/\s+/g, ' '),
      useCase: value('useCase'),
      nodeService: value('nodeService'),
    }),
    (id, typed) => keys.set(id, typed),
    { done: 'details' },
  )
  form(
    'limits',
    (value) => ({ dailyLimit: value('dailyLimit').trim(), monthlyLimit: value('monthlyLimit').trim() }),
    (id, { dailyLimit, monthlyLimit }) =>
      keys.set(id, { dailyLimit: limitOf(dailyLimit), monthlyLimit: limitOf(monthlyLimit) }),
    { done: 'limits' },
  )
  const setList = (id: string, list: AllowListName, entries: readonly string[]) =>
    keys.set(id, { access: { [list]: entries.length === 0 ? null : entries } })
  for (const list of lineLists)
    form(
      list,
      (value) => ({ [list]: value(list) }) as Partial<SettingsValues>,
      (id, typed) => setList(id, list, entriesOf(typed[list] ?? '')),
      { done: list, part: `allow-${list}`, field: list },
    )
  form(
    'methods',
    (value) => ({
      methodChoice: value('methodChoice'),
      methods: methodNames.filter((name) => value(`method-${name}`) !== ''),
    }),
    async (id, { methodChoice, methods: chosen }) => {
      if (methodChoice === 'all') return setList(id, 'methods', [])
      if (chosen.length > 0) return setList(id, 'methods', chosen)
      throw new OperatorError('invalid_input', 'Choose at least one method, or allow every one')
    },
    { done: 'methods', part: 'allow-methods', field: 'methods' },
  )
  form(
    'tokens',
    (value) => ({
      jwtPublicKey: value('jwtPublicKey'),
      jwtId: value('jwtId').trim(),
      jwtAlgorithm: value('jwtAlgorithm'),
      jwtAudience: value('jwtAudience').trim(),
    }),
    (id, { jwtPublicKey: publicKey, jwtId, jwtAlgorithm: algorithm, jwtAudience: audience }) =>
      keys.addJwtKey(id, {
        id: jwtId || kidOf(publicKey),
        publicKey,
        ...(algorithm === '' ? {} : { algorithm }),
        ...(audience === '' ? {} : { audience }),
      }),
    { done: 'registered', part: 'tokens' },
  )
  form(
    'tokens/remove',
    (value) => ({ jwtId: value('jwtId') }),
    (id, { jwtId }) => keys.removeJwtKey(id, jwtId),
    { done: 'removed', part: 'tokens' },
  )
}

/** Entries are parted by lines, commas or spaces: none of them holds any. */
const entriesOf = (text: string) => text.split(/[\s,]+/).filter((entry) => entry !== '')

/** A limit as it is typed, also with marks between its thousands; keys refuse what is no number. */
function limitOf(text: string): number | null {
  if (text === '') return null
  const plain = text.replace(/(?<=\d)[, ](?=\d{3}\b)/g, '')
  return /^\d+$/.test(plain) ? Number(plain) : Number.NaN
}

/** What a JWK calls itself (RFC 7517, 4.5); empty for what is none. */
function kidOf(publicKey: string): string {
  try {
    const { kid } = JSON.parse(publicKey) as { readonly kid?: unknown }
    return typeof kid === 'string' ? kid : ''
  } catch {
    return ''
  }
}
