import { methods } from '@concordat/node-access-contract/methods'
import type { KeySummary } from '../../keys/index.js'
import { OperatorError } from '../../util/index.js'
import { type Answer, page, redirect } from '../answer.js'
import type { AllowListName, DashboardServices } from '../dashboard-services.js'
import { changeKey } from '../keys/change-key.js'
import { readDetails } from '../keys/key-fields.js'
import { networkTitle } from '../keys/network-title.js'
import { ownKey } from '../keys/own-key.js'
import { problemOf } from '../keys/problem-of.js'
import type { FormProblems } from '../parts/form.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { KeySettingsPage } from './key-settings-page.js'
import { type SettingNotice, type SettingsValues, settingsOf } from './settings-values.js'

const listNotice = (list: AllowListName) => ({
  part: `allow-${list}`,
  text: 'Saved. The list applies immediately.',
})
/** Confirmations, by the value of `done` in the query. */
const notices = {
  details: { part: 'details', text: 'Saved.' },
  limits: { part: 'limits', text: 'Saved. The limits apply immediately.' },
  addresses: listNotice('addresses'),
  origins: listNotice('origins'),
  contracts: listNotice('contracts'),
  methods: listNotice('methods'),
  registered: { part: 'tokens', text: 'Public key registered. Each call now needs a token.' },
  removed: { part: 'tokens', text: 'Public key removed.' },
  disabled: { part: 'state', text: 'Key disabled. Calls with it are refused.' },
  enabled: { part: 'state', text: 'Key enabled. Its URL works again.' },
} as const satisfies Readonly<Record<string, SettingNotice>>
type Done = keyof typeof notices
const isDone = (word: string): word is Done => Object.hasOwn(notices, word)
/** Redirects to the changed setting and shows the confirmation there. */
export const settingDone = (id: string, done: Done): Answer =>
  redirect(`/keys/${id}/settings?done=${done}#${notices[done].part}`)

const methodNames = Object.values(methods).map(({ name }) => name)
const lineLists = ['addresses', 'origins', 'contracts'] as const
const refused = 400

/** Adds the settings page of a key and its forms. */
export function addSettingsRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, limits } = services
  const show = (
    { query, request }: OwnVisit,
    key: KeySummary,
    again?: { readonly typed: Partial<SettingsValues>; readonly problems: FormProblems },
  ) => {
    const done = query('done')
    return page(
      `Settings of ${key.name}`,
      <KeySettingsPage
        shown={key}
        network={networkTitle(networks, key.network)}
        limits={limits}
        values={{ ...settingsOf(key), ...again?.typed }}
        problems={again?.problems}
        notice={isDone(done) ? notices[done] : undefined}
        clientAddress={request.ip}
      />,
      { styles: ['settings.css'], ...(again === undefined ? {} : { status: refused }) },
    )
  }
  /** Adds a form. `field` receives validation messages that name no field. */
  const form = <Typed extends Partial<SettingsValues>>(
    path: string,
    read: (form: OwnVisit['form']) => Typed,
    change: (id: string, typed: Typed) => Promise<unknown>,
    done: Done,
    field?: string,
  ) =>
    own.post(`/keys/:id/settings/${path}`, async (visit): Promise<Answer> => {
      const key = await ownKey(keys, visit)
      const typed = read(visit.form)
      const problem = await changeKey(() => change(key.id, typed))
      if (problem !== undefined) return show(visit, key, { typed, problems: problemOf(problem, field) })
      return settingDone(key.id, done)
    })

  own.get('/keys/:id/settings', async (visit) => show(visit, await ownKey(keys, visit)))
  form('details', readDetails, (id, typed) => keys.set(id, typed), 'details')
  form(
    'limits',
    (value) => ({ dailyLimit: value('dailyLimit').trim(), monthlyLimit: value('monthlyLimit').trim() }),
    (id, { dailyLimit, monthlyLimit }) =>
      keys.set(id, { dailyLimit: limitOf(dailyLimit), monthlyLimit: limitOf(monthlyLimit) }),
    'limits',
  )
  const setList = (id: string, list: AllowListName, entries: readonly string[]) =>
    keys.set(id, { access: { [list]: entries.length === 0 ? null : entries } })
  for (const list of lineLists)
    form(
      list,
      (value) => ({ [list]: value(list) }) as Partial<SettingsValues>,
      (id, typed) => setList(id, list, entriesOf(typed[list] ?? '')),
      list,
      list,
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
      throw new OperatorError('invalid_input', 'Select at least one method, or allow every method')
    },
    'methods',
    'methods',
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
    'registered',
  )
  form(
    'tokens/remove',
    (value) => ({ jwtId: value('jwtId') }),
    (id, { jwtId }) => keys.removeJwtKey(id, jwtId),
    'removed',
  )
}

/** Splits a list at white space and commas, which no entry contains. */
const entriesOf = (text: string) => text.split(/[\s,]+/).filter((entry) => entry !== '')

/** Parses a limit, also with thousands separators. NaN stands for other texts, which validation then refuses. */
function limitOf(text: string): number | null {
  if (text === '') return null
  const plain = text.replace(/(?<=\d)[, ](?=\d{3}\b)/g, '')
  return /^\d+$/.test(plain) ? Number(plain) : Number.NaN
}

/** Returns the `kid` of a JWK (RFC 7517, section 4.5); empty for other texts. */
function kidOf(publicKey: string): string {
  try {
    const { kid } = JSON.parse(publicKey) as { readonly kid?: unknown }
    return typeof kid === 'string' ? kid : ''
  } catch {
    return ''
  }
}
